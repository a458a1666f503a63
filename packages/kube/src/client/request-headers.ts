import type { ClusterAccess, Impersonation } from '../credentials/access.ts';
import type { ConnectionHeaders } from './connection.ts';
import type { RelayedRequest } from './forwarder.ts';
import type { KubeRequest } from './transport.ts';

/** The headers that every request of an access has: made once, not per request. */
export function accessHeaders(access: ClusterAccess, userAgent: string): Readonly<ConnectionHeaders> {
  return {
    'user-agent': userAgent,
    ...(access.authorization !== undefined && { authorization: access.authorization }),
    ...(access.impersonate && impersonationHeaders(access.impersonate)),
  };
}

/** The headers of one try. The caller's go last, except that it cannot replace the identity. */
export function requestHeaders(
  request: KubeRequest,
  common: Readonly<ConnectionHeaders>,
  gzip: boolean,
): ConnectionHeaders {
  const headers: ConnectionHeaders = { accept: 'application/json' };
  if (gzip) headers['accept-encoding'] = 'gzip';
  if (request.body !== undefined) headers['content-type'] = 'application/json';
  for (const name in request.headers) headers[name.toLowerCase()] = request.headers[name] ?? '';
  return Object.assign(headers, common);
}

/** The headers of a request of somebody else: whoever that is replaces whom this process impersonates, if anybody. */
export function forwardedHeaders(
  headers: ConnectionHeaders,
  { impersonate, userAgent }: Pick<RelayedRequest, 'impersonate' | 'userAgent'>,
): ConnectionHeaders {
  if (!impersonate) return { ...headers, ...(userAgent !== undefined && { 'user-agent': userAgent }) };
  const own = Object.entries(headers).filter(([name]) => !name.startsWith('impersonate-'));
  return {
    ...Object.fromEntries(own),
    ...(userAgent !== undefined && { 'user-agent': userAgent }),
    ...impersonationHeaders(impersonate),
  };
}

function impersonationHeaders({ user, uid, groups = [], extra = {} }: Impersonation): ConnectionHeaders {
  const headers: ConnectionHeaders = { 'impersonate-user': user };
  if (uid !== undefined) headers['impersonate-uid'] = uid;
  if (groups.length > 0) headers['impersonate-group'] = [...groups];
  for (const [key, values] of Object.entries(extra)) {
    headers[`impersonate-extra-${escapeHeaderKey(key)}`] = [...values];
  }
  return headers;
}

/** Header names hold few characters; the API server decodes the others from percent signs. */
const escapeHeaderKey = (key: string): string =>
  [...Buffer.from(key.toLowerCase())]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[a-z0-9!#$&'*+.^_`|~-]/.test(character)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
