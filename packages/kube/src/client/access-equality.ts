import type { ClusterAccess } from '../credentials/access.ts';

const connectionKey = (access: ClusterAccess): string =>
  JSON.stringify([
    access.server,
    access.ca,
    access.tlsServerName,
    access.insecureSkipTlsVerify === true,
    access.proxyUrl,
    access.proxyCa,
    access.proxyHeaders,
    access.clientCertificate?.certificate,
    access.clientCertificate?.key,
  ]);

/** True if requests of both can share a connection: same server, trust, proxy and client certificate. */
export const isSameConnection = (a: ClusterAccess, b: ClusterAccess): boolean => connectionKey(a) === connectionKey(b);

/** True if both send the same identity in headers. */
export const isSameIdentity = (a: ClusterAccess, b: ClusterAccess): boolean =>
  a.authorization === b.authorization && JSON.stringify(a.impersonate) === JSON.stringify(b.impersonate);
