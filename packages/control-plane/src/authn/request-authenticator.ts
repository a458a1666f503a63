import type { Logger } from '@flotilla/kube';
import type { ApiRequest } from '../contracts/exchange.ts';
import type { Authenticator } from '../contracts/handlers.ts';
import {
  allUnauthenticated,
  anonymousUser,
  asAuthenticated,
  credentialIdKey,
  type UserInfo,
} from '../contracts/user-info.ts';
import { unauthorized } from '../errors/api-errors.ts';
import type { TokenAuthenticator } from './tokens/token-authenticator.ts';

/** A verified client certificate first, then a bearer token. A request with neither is anonymous; an invalid credential is refused. */
export function createRequestAuthenticator(
  tokens: TokenAuthenticator,
  audiences: readonly string[],
  log: Logger,
): Authenticator {
  return async ({ certificate, certificateRefused, headers }) => {
    if (certificate) return certificateUser(certificate);
    const token = bearerToken(headers.authorization);
    if (token === undefined) {
      if (certificateRefused) throw unauthorized();
      return anonymous;
    }
    const answer = await tokens(token, audiences);
    if ('user' in answer) return answer.user;
    log.debug('a bearer token was refused', { why: answer.error });
    throw unauthorized();
  };
}

const anonymous: UserInfo = { name: anonymousUser, groups: [allUnauthenticated] };

/** The common name is the user, the organizations are the groups. */
const certificateUser = ({
  commonName,
  organizations,
  fingerprint,
}: NonNullable<ApiRequest['certificate']>): UserInfo =>
  asAuthenticated({
    name: commonName,
    groups: organizations,
    ...(fingerprint && { extra: { [credentialIdKey]: [`X509SHA256=${fingerprint}`] } }),
  });

function bearerToken(authorization: string | undefined): string | undefined {
  const [scheme = '', token = ''] = (authorization ?? '').trim().split(' ');
  return scheme.toLowerCase() === 'bearer' && token !== '' ? token : undefined;
}
