import { getCiphers } from 'node:tls';
import { KubeError } from '@flotilla/kube';

/** Those of TLS 1.3 are always there, as in Go: a list of older ones alone would leave clients that speak TLS 1.3 only outside. */
const tls13Suites = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];

/**
 * The text by which Node knows cipher suites. Kubernetes names them as IANA does; OpenSSL has names of its own for those of TLS 1.2, and
 * ignores IANA's without a word. Throws `Config` for one that is not known.
 */
export function cipherList(suites: readonly string[]): string {
  const known = new Set(getCiphers().map((name) => name.toUpperCase()));
  const older = suites
    .filter((suite) => !tls13Suites.includes(suite))
    .map((suite) => {
      const name = suite.startsWith('TLS_') ? openSslName(suite) : suite;
      if (known.has(name.toUpperCase())) return name;
      throw new KubeError('Config', `cipher suite ${suite} is not known; no cipher match`, {
        hint: 'Name it as IANA does, for example TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256.',
      });
    });
  const newer = suites.filter((suite) => tls13Suites.includes(suite));
  return [...older, ...(newer.length > 0 ? newer : tls13Suites)].join(':');
}

const openSslName = (iana: string): string =>
  iana
    .replace(/^TLS_/, '')
    .replace('_WITH_', '_')
    .replace(/^RSA_/, '')
    .replace(/AES_(128|256)/, 'AES$1')
    .replace('_CBC', '')
    .replace(/POLY1305_SHA256$/, 'POLY1305')
    .replaceAll('_', '-');
