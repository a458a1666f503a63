import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

/** The address that others reach a host by: that of the first network if it listens on all of them. */
export function reachableIp(host: string): string {
  if (isIP(host) !== 0 && host !== '0.0.0.0' && host !== '::') return host;
  const outer = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const first = host === 'localhost' ? undefined : outer.find(({ internal, family }) => !internal && family === 'IPv4');
  return first?.address ?? '127.0.0.1';
}
