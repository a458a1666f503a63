import type { ClusterAccess } from '../credentials/access.ts';
import type { Logger } from '../log/logger.ts';
import { isLoopback } from './loopback.ts';
import { bareHost } from './proxy-for.ts';

/** Warns about insecure access, once for each origin. */
export class AccessWarnings {
  readonly #log: Logger;
  readonly #warned = new Set<string>();

  constructor(log: Logger) {
    this.#log = log;
  }

  check({ server, origin, insecureSkipTlsVerify }: ClusterAccess): void {
    const url = new URL(server);
    const isPlain = url.protocol === 'http:' && !isLoopback(bareHost(url));
    if ((!insecureSkipTlsVerify && !isPlain) || this.#warned.has(origin)) return;
    this.#warned.add(origin);
    const risk = isPlain
      ? 'the server is reached without TLS'
      : 'the certificate of the server is not verified because insecure-skip-tls-verify is set';
    this.#log.warn(`${risk}: anyone on the way can read and change requests`, { origin, server });
  }
}
