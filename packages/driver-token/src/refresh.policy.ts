import type { CredentialReason } from '@flotilla/registration-core/contract';
import { readToken, type TokenClaims } from './token.ts';

/** A token is replaced when this much of its life is left. */
const leftToRefresh = 0.2;

/** Whether a stored token still serves. */
export type TokenState =
  | { readonly valid: true; readonly refreshInMs: number; readonly expiresAt: number }
  | { readonly valid: false; readonly reason: CredentialReason; readonly message: string };

/** Evaluates a stored token of the service account with this uid; without a uid, of whichever. */
export function evaluateToken(token: string | undefined, uid: string | undefined, now: number): TokenState {
  const invalid = (reason: CredentialReason, message: string): TokenState => ({ valid: false, reason, message });
  if (!token) return invalid('Missing', 'there is no token');
  let claims: TokenClaims;
  try {
    claims = readToken(token);
  } catch (error) {
    return invalid('Malformed', error instanceof Error ? error.message : String(error));
  }
  const { issuedAt, expiresAt, serviceAccountUid } = claims;
  if (uid !== undefined && serviceAccountUid !== uid)
    return invalid('OtherIdentity', 'the token is of another service account');
  if (expiresAt < now) return invalid('Expired', 'the token has expired');
  if (expiresAt <= issuedAt) return invalid('Malformed', 'the token ends before it begins');
  const refreshInMs = expiresAt - (expiresAt - issuedAt) * leftToRefresh - now;
  return refreshInMs > 0 ? { valid: true, refreshInMs, expiresAt } : invalid('Expired', 'the token is due for renewal');
}
