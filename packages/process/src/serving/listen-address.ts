import { isIP } from 'node:net';
import { KubeError } from '@flotilla/kube';

/** Where a server listens. */
export interface ListenAddress {
  /** Undefined: all interfaces. */
  host: string | undefined;
  port: number;
}

/** Reads `127.0.0.1:8443`, `[::1]:8443`, `localhost:0`, `:8443` (all interfaces); `0` and the empty text mean no server. */
export function parseListenAddress(text: string): ListenAddress | undefined {
  if (text === '0' || text === '') return undefined;
  const match = /^(?:\[([^\]]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  const host = match?.[1] ?? match?.[2];
  if (!match || port > 65_535 || (match[1] !== undefined && isIP(match[1]) !== 6)) {
    const fix = 'write it as 127.0.0.1:8443, [::1]:8443 or :8443, or 0 for none';
    throw new KubeError('Config', `${JSON.stringify(text)} is not an address to listen at; ${fix}`);
  }
  return { host: host || undefined, port };
}
