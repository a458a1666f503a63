import type { KubeErrorCode } from './codes.ts';

/** What a caught value turned out to be. */
export interface CaughtError {
  code: KubeErrorCode;
  hint?: string;
  retryable?: boolean;
}

const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'ETIMEDOUT',
  'ERR_SOCKET_CLOSED',
  'ERR_SOCKET_CONNECTION_TIMEOUT',
  'ERR_STREAM_PREMATURE_CLOSE',
]);

const fileCodes = new Set(['ENOENT', 'EACCES', 'EPERM', 'EISDIR', 'ENOTDIR']);

const tlsCodes = new Set([
  'EPROTO',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
  'HOSTNAME_MISMATCH',
]);

const tlsPrefixes = ['CERT_', 'CRL_', 'UNABLE_TO_', 'ERROR_IN_C', 'ERR_TLS_', 'ERR_SSL_', 'ERR_OSSL_'];

const tlsHints: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'The certificate of the server has expired: renew it, and check that the clock here is right.',
  CERT_NOT_YET_VALID: 'The certificate of the server is not valid yet: check that the clocks of both sides agree.',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'The certificate is for another name: use a server address that it names, or set `tls-server-name` in the kubeconfig.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'The CA of the kubeconfig did not sign the certificate of the server: put the right one in `certificate-authority-data`.',
  SELF_SIGNED_CERT_IN_CHAIN:
    'The certificate of the server comes from a CA that is not trusted here: put that CA in `certificate-authority-data`.',
  DEPTH_ZERO_SELF_SIGNED_CERT:
    'The server uses a self-signed certificate: put that certificate in `certificate-authority-data`.',
};

function classifyCode(code: string): CaughtError | undefined {
  if (networkCodes.has(code) || code.startsWith('ERR_HTTP2_')) return { code: 'Unavailable' };
  if (tlsCodes.has(code) || tlsPrefixes.some((prefix) => code.startsWith(prefix))) {
    const hint = tlsHints[code];
    return hint === undefined ? { code: 'Tls' } : { code: 'Tls', hint };
  }
  if (fileCodes.has(code))
    return { code: 'Config', hint: 'Check that the file exists and may be read by this process.' };
  return undefined;
}

const stringProperty = (value: object, name: 'code' | 'name'): string | undefined => {
  const property: unknown = Reflect.get(value, name);
  return typeof property === 'string' ? property : undefined;
};

/**
 * Rules for anything that was thrown, first match wins, outermost first and then its causes:
 * an abort is `Canceled`, a timeout of a signal `Timeout`, then the codes of sockets, TLS and files, then broken JSON.
 * All else is `Internal` and not retried: it is a bug.
 */
export function classifyCaught(caught: unknown): CaughtError {
  for (let value = caught, depth = 0; typeof value === 'object' && value !== null && depth < 8; depth++) {
    const name = stringProperty(value, 'name');
    if (name === 'AbortError') return { code: 'Canceled' };
    if (name === 'TimeoutError') return { code: 'Timeout' };
    const code = stringProperty(value, 'code');
    const known = code === undefined ? undefined : classifyCode(code);
    if (known) return known;
    if (value instanceof SyntaxError) return { code: 'Decode' };
    value = value instanceof AggregateError ? value.errors[0] : Reflect.get(value, 'cause');
  }
  return { code: 'Internal', retryable: false };
}
