import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { checkServerIdentity, connect, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import type { ClusterAccess } from '../credentials/access.ts';
import { KubeError } from '../errors/kube-error.ts';
import { bareHost } from './proxy-for.ts';

/** Keys and trust of an access, parsed once for all its connections. */
export function secureContext(access: ClusterAccess): SecureContext {
  try {
    return createSecureContext({
      minVersion: 'TLSv1.2',
      // Go, and so every other Kubernetes client, trusts any certificate in the bundle, also an intermediate one.
      allowPartialTrustChain: true,
      ...(access.ca !== undefined && { ca: access.ca }),
      ...(access.clientCertificate && {
        cert: access.clientCertificate.certificate,
        key: access.clientCertificate.key,
      }),
    });
  } catch (cause) {
    throw new KubeError(
      'Config',
      `the CA, client certificate or key of ${access.origin} cannot be used: ${reason(cause)}`,
      {
        cause,
        hint: 'Each must be PEM, and the key must belong to the certificate.',
      },
    );
  }
}

/** TLS over an open connection. Resolves after the certificate was verified. */
export function startTls(
  socket: Duplex,
  access: ClusterAccess,
  context: SecureContext,
  { server, protocols }: { readonly server: URL; readonly protocols: readonly string[] },
): Promise<TLSSocket> {
  const verified = access.tlsServerName ?? bareHost(server);
  return new Promise((resolve, reject) => {
    const tls = connect({
      socket,
      secureContext: context,
      // SNI holds names only.
      ...(isIP(verified) === 0 && { servername: verified }),
      checkServerIdentity: (_host, certificate) => checkServerIdentity(verified, certificate),
      rejectUnauthorized: access.insecureSkipTlsVerify !== true,
      ALPNProtocols: [...protocols],
    });
    tls.once('secureConnect', () => {
      tls.removeListener('error', reject);
      resolve(tls);
    });
    tls.once('error', reject);
    tls.once('close', () => reject(new Error('the connection was closed during the TLS handshake')));
  });
}

/** What a connection that failed or broke means: a matter of trust gets a hint that says whose, all else is unavailability. */
export function explainFailure(cause: Error, access: ClusterAccess): KubeError {
  if (cause instanceof KubeError) return cause;
  if (KubeError.from(cause).code === 'Tls') {
    return new KubeError('Tls', `${access.server}: ${reason(cause)}`, { cause, hint: tlsHint(cause, access) });
  }
  return new KubeError('Unavailable', `${access.server}: ${reason(cause)}`, { cause });
}

function tlsHint(cause: Error, access: ClusterAccess): string {
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
  const trusted = access.ca === undefined ? 'the CAs of this system' : `the CA of ${access.origin}`;
  const isFlag = access.origin.startsWith('--');
  const name = access.tlsServerName ?? bareHost(new URL(access.server));
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return `The certificate of the server is not for ${name}: use an address it names${isFlag ? '' : `, or set tls-server-name in ${access.origin}`}.`;
  }
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    return `The certificate of ${name} or of its CA is expired or not valid yet: renew it, and check the clocks of both sides.`;
  }
  if (code.includes('ALERT') || code.startsWith('ERR_SSL_TLSV') || code.startsWith('ERR_SSL_SSLV3_ALERT')) {
    return `The server refused our side of TLS: check the client certificate of ${access.origin}.`;
  }
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG' || code === 'EPROTO') {
    return `${name} does not speak TLS there: check the port, and whether the server is http://.`;
  }
  const fix = isFlag
    ? `give the CA of the server with the flags that come with ${access.origin}`
    : `put the server's CA into certificate-authority-data of ${access.origin}`;
  return `The certificate of ${name} is not signed by ${trusted}: ${fix}.`;
}

const reason = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause);
  return 'code' in cause ? `${cause.message} (${String(cause.code)})` : cause.message;
};
