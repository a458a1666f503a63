import { isIPv6 } from 'node:net';

/**
 * For whom an address counts. A host has as a rule a /64 of IPv6, with 2^64 addresses, so all of these are one. Node shows IPv4 as mapped to
 * IPv6 where a server listens to both.
 */
export function networkOf(address: string): string {
  const [plain = ''] = address.split('%');
  if (!isIPv6(plain)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1];
  return mapped ?? `${firstGroups(plain).join(':')}::/64`;
}

/** The first four of the eight groups of an address. */
function firstGroups(address: string): string[] {
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  // An IPv4 address at the end stands for two groups.
  const written = head.length + tail.length + (address.includes('.') ? 1 : 0);
  const zeros = Array.from({ length: 8 - written }, () => '0');
  return [...head, ...zeros, ...tail].slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
}
