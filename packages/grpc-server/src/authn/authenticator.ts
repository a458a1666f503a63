import type { CallContext } from '@flotilla/cloudevents';
import { type Clock, type KubeClient, KubeError } from '@flotilla/kube';
import { tokenReviews } from '@flotilla/kube/kinds';
import type { Caller } from '../caller.ts';
import { certificateCaller } from './certificate-subject.ts';
import { KnownTokens } from './known-tokens.ts';

const bearer = 'Bearer ';

/** Says who sends a call. Throws `Unauthorized`. */
export type Authenticator = (call: CallContext) => Promise<Caller>;

/** Knows callers by their token, which the API server reviews, or by their client certificate, which the listener verified. */
export function createAuthenticator(client: KubeClient, clock: Clock): Authenticator {
  const tokens = new KnownTokens((token) => reviewToken(client, token), clock);
  return async ({ authorization, certificate, peer }) => {
    const token = authorization?.startsWith(bearer) ? authorization.slice(bearer.length) : authorization;
    const caller =
      (token && (await tokens.callerOf(token, addressOf(peer)))) ||
      (certificate && liveCertificate(certificate, clock));
    if (caller) return caller;
    throw new KubeError(
      'Unauthorized',
      token ? 'the token is not valid' : 'neither a token nor a client certificate that names a user',
      { status: 401 },
    );
  };
}

/** Without the port, which differs for each connection. */
const addressOf = (peer: string): string => peer.slice(0, Math.max(0, peer.lastIndexOf(':')));

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
