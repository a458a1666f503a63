import { bitsOf, CelIp, parseIp } from './address.ts';
import { ipOf } from './ip.ts';
import { failure, type Library } from './library.ts';

/** A network: an address of it and the length of its prefix. */
class CelCidr {
  readonly ip: CelIp;
  readonly prefixLength: number;

  constructor(ip: CelIp, prefixLength: number) {
    this.ip = ip;
    this.prefixLength = prefixLength;
  }

  get masked(): CelCidr {
    const shift = BigInt(bitsOf(this.ip.family) - this.prefixLength);
    return new CelCidr(new CelIp(this.ip.family, (this.ip.value >> shift) << shift), this.prefixLength);
  }

  contains(other: CelCidr): boolean {
    return other.prefixLength >= this.prefixLength && other.ip.isIn(this.ip, this.prefixLength);
  }

  toString(): string {
    return `${this.ip}/${this.prefixLength}`;
  }
}

function parse(text: string): CelCidr | undefined {
  const [, address = '', length = ''] = /^([^/]+)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  const ip = parseIp(address);
  return ip && Number(length) <= bitsOf(ip.family) ? new CelCidr(ip, Number(length)) : undefined;
}

function cidrOf(text: string): CelCidr {
  const cidr = parse(text);
  if (!cidr) throw failure(`network address parse error during conversion from string: ${JSON.stringify(text)}`);
  return cidr;
}

/** Kubernetes' functions on networks. */
export const registerCidr: Library = (environment) => {
  const type = 'net.CIDR';
  environment
    .registerType(type, CelCidr)
    .registerFunction('isCIDR(string): bool', (text: string) => parse(text) !== undefined)
    .registerFunction(`cidr(string): ${type}`, cidrOf)
    .registerFunction(`string(${type}): string`, String)
    .registerFunction(`${type}.containsIP(net.IP): bool`, (cidr: CelCidr, ip: CelIp) =>
      ip.isIn(cidr.ip, cidr.prefixLength),
    )
    .registerFunction(`${type}.containsIP(string): bool`, (cidr: CelCidr, text: string) =>
      ipOf(text).isIn(cidr.ip, cidr.prefixLength),
    )
    .registerFunction(`${type}.containsCIDR(${type}): bool`, (cidr: CelCidr, other: CelCidr) => cidr.contains(other))
    .registerFunction(`${type}.containsCIDR(string): bool`, (cidr: CelCidr, text: string) =>
      cidr.contains(cidrOf(text)),
    )
    .registerFunction(`${type}.ip(): net.IP`, (cidr: CelCidr) => cidr.ip)
    .registerFunction(`${type}.masked(): ${type}`, (cidr: CelCidr) => cidr.masked)
    .registerFunction(`${type}.prefixLength(): int`, (cidr: CelCidr) => BigInt(cidr.prefixLength))
    .registerOperator(`${type} == ${type}`, (a: CelCidr, b: CelCidr) => `${a}` === `${b}`);
};
