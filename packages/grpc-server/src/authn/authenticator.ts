import { createHash } from 'node:crypto';
import type { CallContext } from '@flotilla/cloudevents';
import { type Clock, type KubeClient, KubeError } from '@flotilla/kube';
import { tokenReviews } from '@flotilla/kube/kinds';
import type { Caller } from '../caller.ts';
import { ExpiringCache } from '../expiring-cache.ts';
import { certificateCaller } from './certificate-subject.ts';

/** How long the API server's answer about a token holds. */
const tokenTtlMs = 10_000;
const bearer = 'Bearer ';

/** Says who sends a call. Throws `Unauthorized`. */
export type Authenticator = (call: CallContext) => Promise<Caller>;

/** Knows callers by their token, which the API server reviews, or by their client certificate, which the listener verified. */
export function createAuthenticator(client: KubeClient, clock: Clock): Authenticator {
  const reviews = new ExpiringCache<Caller | undefined>(clock, () => tokenTtlMs);
  const review = (token: string) =>
    reviews.get(createHash('sha256').update(token).digest('base64'), () => reviewToken(client, token));
  return async ({ authorization, certificate }) => {
    const token = authorization?.startsWith(bearer) ? authorization.slice(bearer.length) : authorization;
    const caller = (token && (await review(token))) || (certificate && liveCertificate(certificate, clock));
    if (caller) return caller;
    throw new KubeError(
      'Unauthorized',
      token ? 'the token is not valid' : 'neither a token nor a client certificate that names a user',
      { status: 401 },
    );
  };
}

function liveCertificate(certificate: NonNullable<CallContext['certificate']>, clock: Clock): Caller | undefined {
  const caller = certificateCaller(certificate);
  // A connection outlives the certificate that it was opened with.
  return Date.parse(certificate.validTo) > clock.now() ? caller : undefined;
}

async function reviewToken(client: KubeClient, token: string): Promise<Caller | undefined> {
  const { status } = await client.resource(tokenReviews).create({ spec: { token } });
  const user = status?.authenticated ? status.user?.username : undefined;
  return user ? { user, groups: status?.user?.groups ?? [], by: { token } } : undefined;
}
