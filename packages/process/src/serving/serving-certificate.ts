import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createSecureContext, type SecureContextOptions, type SecureVersion } from 'node:tls';
import { type Clock, KubeError, type Logger } from '@flotilla/kube';
import { FileWatcher } from '@flotilla/kube/files';
import { cipherList } from './cipher-suites.ts';

/** How to serve TLS, whatever the certificate. */
export interface TlsSettings {
  minVersion?: 'VersionTLS12' | 'VersionTLS13';
  /** IANA names; empty: Node's. */
  cipherSuites?: readonly string[];
}

/** How to serve TLS with a certificate in files. */
export interface ServingTls extends TlsSettings {
  certFile: string;
  keyFile: string;
}

const versions: Record<'VersionTLS12' | 'VersionTLS13', SecureVersion> = {
  VersionTLS12: 'TLSv1.2',
  VersionTLS13: 'TLSv1.3',
};

/** What Node serves TLS with. */
export const secureContextOf = (
  pair: { readonly cert: string; readonly key: string },
  { minVersion = 'VersionTLS12', cipherSuites = [] }: TlsSettings,
): SecureContextOptions => ({
  ...pair,
  minVersion: versions[minVersion],
  ...(cipherSuites.length > 0 && { ciphers: cipherList(cipherSuites) }),
});

type ReadFile = (path: string) => Promise<string>;

/** Reads the certificate and key. Throws a KubeError `Config` that names the file or setting. */
export async function readServingCertificate(
  tls: ServingTls,
  read: ReadFile = (path) => readFile(path, 'utf8'),
): Promise<SecureContextOptions> {
  // One after the other, so that of two that are missing it is always the same that is named.
  const cert = await readPem(read, tls.certFile, 'tls-cert-file');
  const key = await readPem(read, tls.keyFile, 'tls-private-key-file');
  try {
    const options = secureContextOf({ cert, key }, tls);
    createSecureContext(options);
    // Node takes an empty key, as of a file that is being written, and then fails each handshake.
    if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) throw new Error('key values mismatch');
    return options;
  } catch (cause) {
    const what = `${tls.certFile} and ${tls.keyFile} cannot be used to serve TLS`;
    const hint = 'They must be PEM, the key that of the certificate, and the cipher suites known by their IANA names.';
    throw new KubeError('Config', `${what}: ${cause instanceof Error ? cause.message : cause}`, { cause, hint });
  }
}

async function readPem(read: ReadFile, path: string, flag: string): Promise<string> {
  try {
    return await read(path);
  } catch (error) {
    throw KubeError.from(error, `--${flag}=${path}`);
  }
}

/** Watches the files and hands on what is new, until the signal aborts; a broken pair is logged and the last good one stays in use. */
export async function followServingCertificate(
  {
    tls,
    current,
    clock,
    log,
    signal,
  }: {
    tls: ServingTls;
    current: SecureContextOptions;
    clock: Clock;
    log: Logger;
    signal: AbortSignal;
  },
  use: (next: SecureContextOptions) => void,
): Promise<void> {
  let last = current;
  let reloading = Promise.resolve();
  const reload = async (): Promise<void> => {
    try {
      const next = await watcher.track((read) => readServingCertificate(tls, read));
      if (signal.aborted || (next.cert === last.cert && next.key === last.key)) return;
      use(next);
      last = next;
      log.info('serving with a new certificate', { file: tls.certFile });
    } catch (err) {
      log.warn('the new serving certificate cannot be used, the old one stays', { err });
    }
  };
  // One after the other: the last one to read the files is the last one to use them.
  const enqueue = () => {
    reloading = reloading.then(reload);
  };
  const watcher = new FileWatcher({ clock, onChange: enqueue });
  enqueue();
  if (!signal.aborted) await once(signal, 'abort');
  watcher.close();
  await reloading;
}
