import { asAuthenticated, type UserInfo } from '../../contracts/user-info.ts';
import { joinMessages } from '../../errors/go-text.ts';
import { implicitAudiences, type TokenVerifier } from './token-verification.ts';

/** The user of a token, or why it is refused. */
export type TokenAnswer =
  | { readonly user: UserInfo; readonly audiences: readonly string[] }
  | { readonly error: string };

/** Asks each kind of token in turn. */
export type TokenAuthenticator = (token: string, audiences: readonly string[]) => Promise<TokenAnswer>;

export function createTokenAuthenticator(verifiers: readonly TokenVerifier[]): TokenAuthenticator {
  return async (token, audiences) => {
    const errors = ['invalid bearer token'];
    for (const verify of verifiers) {
      const verification = await verify(token, audiences);
      if (!verification) continue;
      if ('user' in verification)
        return { user: asAuthenticated(verification.user), audiences: verification.audiences };
      errors.push(verification.error);
    }
    return { error: joinMessages(errors) };
  };
}

/** Tokens that were given to the server when it started: for tests, and for the first steps. */
export function staticTokens(
  users: Readonly<Record<string, UserInfo>>,
  ownAudiences: readonly string[],
): TokenVerifier {
  const byToken = new Map(Object.entries(users));
  return (token, asked) => {
    const user = byToken.get(token);
    const audiences = implicitAudiences(ownAudiences, asked);
    return user && audiences.length > 0 ? { user, audiences } : undefined;
  };
}
