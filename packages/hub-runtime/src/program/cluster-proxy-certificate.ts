import { once } from 'node:events';
import { join } from 'node:path';
import type { ServingSource } from '@flotilla/cluster-proxy/hub';
import type { Clock, Logger } from '@flotilla/kube';
import { FileWatcher } from '@flotilla/kube/files';
import type { ServingPair } from '@flotilla/kube/pki';
import { readServingCertificate } from '@flotilla/process';

/** The files of a certificate that somebody else keeps. */
export interface CertificateFiles {
  /** With `tls.crt` and `tls.key`. */
  readonly certdir: string;
  /** The authorities by which replicas verify one another. */
  readonly caFile: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Serves with a certificate in files, and follows them. A broken pair is logged, and the last good one stays in use. */
export const certificateFiles =
  ({ certdir, caFile, clock, log }: CertificateFiles): ServingSource =>
  async (use, signal) => {
    const tls = { certFile: join(certdir, 'tls.crt'), keyFile: join(certdir, 'tls.key') };
    let known = '';
    const load = async (): Promise<void> => {
      const pair = await watcher.track(async (read): Promise<ServingPair> => {
        const { cert, key } = await readServingCertificate(tls, read);
        return { certificate: String(cert), key: String(key), ca: await read(caFile) };
      });
      const text = JSON.stringify(pair);
      if (signal.aborted || text === known) return;
      known = text;
      use(pair);
    };
    // One after the other: the last one to read the files is the last one to use them.
    let loading = Promise.resolve();
    const reload = () => {
      loading = loading
        .then(load)
        .catch((err: unknown) => log.warn('the new serving certificate cannot be used, the old one stays', { err }));
    };
    const watcher = new FileWatcher({ clock, onChange: reload });
    try {
      await load();
      if (!signal.aborted) await once(signal, 'abort');
    } finally {
      watcher.close();
      await loading;
    }
  };
