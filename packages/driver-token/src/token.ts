/** What a token of a service account says about itself. The hub verifies the signature. */
export interface TokenClaims {
  /** Milliseconds since the epoch. */
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** Of the service account; empty if the token does not say. */
  readonly serviceAccountUid: string;
}

interface Payload {
  readonly exp?: unknown;
  readonly iat?: unknown;
  readonly 'kubernetes.io'?: { readonly serviceaccount?: { readonly uid?: string } };
}

/** Reads a JSON web token. Throws if it is not one, or does not say when it was issued and when it ends. */
export function readToken(token: string): TokenClaims {
  const parts = token.split('.');
  if (parts.length !== 3) throw new Error(`a token has 3 parts, and this one ${parts.length}`);
  const payload = decodePayload(parts[1] ?? '');
  const secondsOf = (claim: 'exp' | 'iat'): number => {
    const seconds = payload[claim];
    if (typeof seconds !== 'number' || seconds === 0) throw new Error(`the token has no ${claim}`);
    return seconds * 1000;
  };
  return {
    expiresAt: secondsOf('exp'),
    issuedAt: secondsOf('iat'),
    serviceAccountUid: payload['kubernetes.io']?.serviceaccount?.uid ?? '',
  };
}

function decodePayload(part: string): Payload {
  // Node skips what is not base64, which would read garbage as something else.
  if (!/^[\w-]*={0,2}$/.test(part)) throw new Error('the payload of the token is not base64url');
  const text = Buffer.from(part, 'base64url').toString('utf8');
  try {
    const payload: unknown = JSON.parse(text);
    if (typeof payload === 'object' && payload !== null) return payload;
  } catch {
    // Below. The cause would quote the token.
  }
  throw new Error('the payload of the token is not a JSON object');
}
