import type { UserInfo } from '../../contracts/user-info.ts';

/** The result for one kind of token: its user, why it is refused, or undefined for a token of another kind. */
export type TokenVerification =
  | { readonly user: UserInfo; readonly audiences: readonly string[] }
  | { readonly error: string }
  | undefined;

/** Verifies one kind of token. A token that is for none of the `audiences` is refused. */
export type TokenVerifier = (
  token: string,
  audiences: readonly string[],
) => Promise<TokenVerification> | TokenVerification;

/** For tokens without an audience: they are for the API server. */
export const implicitAudiences = (own: readonly string[], asked: readonly string[]): readonly string[] =>
  own.filter((audience) => asked.includes(audience));
