import { isIPv4 } from 'node:net';

/** Whether an address or host name reaches only this machine. A name that merely begins like one, `127.evil.com`, does not. */
export function isLoopback(host: string | undefined): boolean {
  if (host === undefined) return false;
  const address = host.toLowerCase().replace(/^::ffff:(?=\d)/, '');
  return address === 'localhost' || address === '::1' || (isIPv4(address) && address.startsWith('127.'));
}
