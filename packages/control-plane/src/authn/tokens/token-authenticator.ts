import { joinMessages } from '../../errors/go-text.ts';
import { asAuthenticated, type UserInfo } from '../user-info.ts';
import { implicitAudiences, type TokenVerifier } from './token-verdict.ts';

/** Whose a token is, or why nobody's. */
export type TokenAnswer =
  | { readonly user: UserInfo; readonly audiences: readonly string[] }
  | { readonly error: string };

/** Asks each kind of token in turn. */
export type TokenAuthenticator = (token: string, audiences: readonly string[]) => Promise<TokenAnswer>;

export function createTokenAuthenticator(verifiers: readonly TokenVerifier[]): TokenAuthenticator {
  return async (token, audiences) => {
    const problems = ['invalid bearer token'];
    for (const verify of verifiers) {
      const verdict = await verify(token, audiences);
      if (!verdict) continue;
      if ('user' in verdict) return { user: asAuthenticated(verdict.user), audiences: verdict.audiences };
      problems.push(verdict.problem);
    }
    return { error: joinMessages(problems) };
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
