import { type AuthenticateToken, asAuthenticated, type UserInfo } from '../../contracts/user-info.ts';
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

/** Tokens that whoever started the server authenticates. Their function may fail: that refuses one request, and ends nothing. */
export function callerTokens(authenticate: AuthenticateToken, ownAudiences: readonly string[]): TokenVerifier {
  return async (token, asked) => {
    const audiences = implicitAudiences(ownAudiences, asked);
    if (audiences.length === 0) return undefined;
    try {
      const user = await authenticate(token);
      return user && { user, audiences };
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  };
}
