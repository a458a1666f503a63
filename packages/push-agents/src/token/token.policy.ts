import type { EpochMs } from '@flotilla/kube/clock';

/** What a token of a service account says about its own life. */
export interface TokenLife {
  readonly issuedAt: EpochMs;
  readonly expiresAt: EpochMs;
}

/** The life of a JSON web token; undefined if the token is of another kind, or does not end. */
export function lifeOf(token: string): TokenLife | undefined {
  const [, payload, ...rest] = token.split('.');
  if (payload === undefined || rest.length !== 1) return undefined;
  try {
    const { iat, exp }: { iat?: unknown; exp?: unknown } = JSON.parse(Buffer.from(payload, 'base64url').toString());
    if (typeof iat !== 'number' || typeof exp !== 'number' || Number.isNaN(new Date(exp * 1000).getTime()))
      return undefined;
    return { issuedAt: iat * 1000, expiresAt: exp * 1000 };
  } catch {
    // Not a token of a service account. The cause would quote it.
    return undefined;
  }
}

/** The part of its life after which a token is renewed, so that days of failures fit in the rest of a long one. */
const renewAt = 0.7;
const spread = 0.1;

const leastPauseMs = 60_000;

/** How long to wait before the next renewal, whatever the new token says: it comes from the member, which could keep the hub busy by it. */
export const pauseAfter = ({ issuedAt, expiresAt }: TokenLife): number =>
  Math.max(leastPauseMs, (expiresAt - issuedAt) / 2);

/** When to renew a token, milliseconds from now; 0 if it is due. `random` in [0, 1) keeps tokens of one day apart. */
export const renewalDelay = ({ issuedAt, expiresAt }: TokenLife, now: EpochMs, random: number): number =>
  Math.max(0, issuedAt + (expiresAt - issuedAt) * (renewAt + spread * random) - now);
