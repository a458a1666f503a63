import type { UserInfo } from '../user-info.ts';

/** What one kind of token says about a text: whose it is, why it is refused, or (undefined) that it is no token of this kind. */
export type TokenVerdict =
  | { readonly user: UserInfo; readonly audiences: readonly string[] }
  | { readonly problem: string }
  | undefined;

/** Knows one kind of token. `audiences` are those whoever asks is; a token for nobody among them is refused. */
export type TokenVerifier = (token: string, audiences: readonly string[]) => Promise<TokenVerdict> | TokenVerdict;

/** For tokens that know no audience: they are for the API server. */
export const implicitAudiences = (own: readonly string[], asked: readonly string[]): readonly string[] =>
  own.filter((audience) => asked.includes(audience));
