import { isIPv4, isIPv6 } from 'node:net';

/** An address of the internet protocol, as a number of 32 or 128 bits. */
export class CelIp {
  readonly family: 4 | 6;
  readonly value: bigint;

  constructor(family: 4 | 6, value: bigint) {
    this.family = family;
    this.value = value;
  }

  /** Whether it is in the network of that prefix. */
  isIn(network: CelIp, prefixLength: number): boolean {
    if (network.family !== this.family) return false;
    const shift = BigInt(bitsOf(this.family) - prefixLength);
    return this.value >> shift === network.value >> shift;
  }

  toString(): string {
    if (this.family === 4) return [24n, 16n, 8n, 0n].map((at) => (this.value >> at) & 255n).join('.');
    const groups = Array.from({ length: 8 }, (_, at) => ((this.value >> BigInt(112 - 16 * at)) & 0xffffn).toString(16));
    return shortened(groups);
  }
}

/** The first of the longest runs of at least two zeros is left out. */
function shortened(groups: readonly string[]): string {
  let best = { at: 0, length: 1 };
  for (let at = 0; at < groups.length; at += 1) {
    let length = 0;
    while (groups[at + length] === '0') length += 1;
    if (length > best.length) best = { at, length };
  }
  if (best.length < 2) return groups.join(':');
  return `${groups.slice(0, best.at).join(':')}::${groups.slice(best.at + best.length).join(':')}`;
}

/** How many bits an address of a family has. */
export const bitsOf = (family: 4 | 6): number => (family === 4 ? 32 : 128);

/** Undefined if it is not an address. Zones and addresses of one family within the other are refused, as by Kubernetes. */
export function parseIp(text: string): CelIp | undefined {
  if (isIPv4(text)) return new CelIp(4, fromGroups(text.split('.').map(Number), 8n));
  if (!isIPv6(text) || text.includes('%') || text.includes('.')) return undefined;
  const [head = '', tail] = text.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - before.length - after.length }, () => '0');
  const groups = [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16));
  const ip = new CelIp(6, fromGroups(groups, 16n));
  return ip.value >> 32n === 0xffffn ? undefined : ip;
}

const fromGroups = (groups: readonly number[], bits: bigint): bigint =>
  groups.reduce((value, group) => (value << bits) | BigInt(group), 0n);
