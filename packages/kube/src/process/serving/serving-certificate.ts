import { readFile } from 'node:fs/promises';
import { createSecureContext, type SecureContextOptions, type SecureVersion } from 'node:tls';
import type { Clock } from '../../clock/clock.ts';
import { KubeError } from '../../errors/kube-error.ts';
import type { Logger } from '../../log/logger.ts';

/** How to serve TLS. */
export interface ServingTls {
  certFile: string;
  keyFile: string;
  minVersion?: 'VersionTLS12' | 'VersionTLS13';
  /** IANA names; empty: Node's. */
  cipherSuites?: readonly string[];
}

const versions: Record<'VersionTLS12' | 'VersionTLS13', SecureVersion> = {
  VersionTLS12: 'TLSv1.2',
  VersionTLS13: 'TLSv1.3',
};

/** How often the files are read again. Secrets mounted by kubelet change a minute late anyway. */
const rereadMs = 30_000;

/** Reads the certificate and key. Throws a KubeError `Config` that names the file or setting. */
export async function readServingCertificate(tls: ServingTls): Promise<SecureContextOptions> {
  // One after the other, so that of two that are missing it is always the same that is named.
  const cert = await readPem(tls.certFile, 'tls-cert-file');
  const key = await readPem(tls.keyFile, 'tls-private-key-file');
  const options: SecureContextOptions = {
    cert,
    key,
    minVersion: versions[tls.minVersion ?? 'VersionTLS12'],
    ...(tls.cipherSuites?.length && { ciphers: tls.cipherSuites.join(':') }),
  };
  try {
    createSecureContext(options);
  } catch (cause) {
    const what = `${tls.certFile} and ${tls.keyFile} cannot be used to serve TLS`;
    const hint = 'They must be PEM, the key that of the certificate, and the cipher suites known by their IANA names.';
    throw new KubeError('Config', `${what}: ${cause instanceof Error ? cause.message : cause}`, { cause, hint });
  }
  return options;
}

async function readPem(path: string, flag: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw KubeError.from(error, `--${flag}=${path}`);
  }
}

/** Reads the files again and again and hands on what is new; a broken pair is logged and the last good one stays in use. */
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
  while (!signal.aborted) {
    try {
      await clock.sleep(rereadMs, signal);
    } catch {
      return;
    }
    try {
      const next = await readServingCertificate(tls);
      if (next.cert === last.cert && next.key === last.key) continue;
      use(next);
      last = next;
      log.info('serving with a new certificate', { file: tls.certFile });
    } catch (err) {
      log.warn('the new serving certificate cannot be used, the old one stays', { err });
    }
  }
}
