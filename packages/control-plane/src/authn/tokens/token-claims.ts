/** An object a token refers to: with its uid, so that another of the same name is not meant. */
export interface ObjectClaim {
  readonly name: string;
  readonly uid?: string;
}

/** What a service account token says. */
export interface TokenClaims {
  readonly iss: string;
  readonly sub: string;
  readonly aud: readonly string[];
  readonly iat: number;
  readonly nbf: number;
  readonly exp: number;
  readonly jti: string;
  readonly 'kubernetes.io': {
    readonly namespace: string;
    readonly serviceaccount: ObjectClaim;
    readonly pod?: ObjectClaim;
    readonly secret?: ObjectClaim;
    readonly node?: ObjectClaim;
  };
}

/** The unverified claims of a JWT: only to decide which verifier is responsible. */
export function peek(token: string): { kid?: unknown; iss?: unknown } | undefined {
  const parts = token.split('.');
  if (parts.length !== 3) return undefined;
  const [header, claims] = parts.map(decodePart);
  if (!header || !claims) return undefined;
  return { kid: Reflect.get(header, 'kid'), iss: Reflect.get(claims, 'iss') };
}

function decodePart(part: string): object | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined; // Not JSON: not a token of this issuer.
  }
}
