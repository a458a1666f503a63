import { CelIp, parseIp } from './address.ts';
import { failure, type Library } from './library.ts';

/** Holds functions that are called as `ip.isCanonical(text)`. */
class IpNamespace {}

/** The networks behind `isLoopback` and the like, for each family. */
const networks = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linkLocalUnicast: ['169.254.0.0/16', 'fe80::/10'],
  multicast: ['224.0.0.0/4', 'ff00::/8'],
  unspecified: ['0.0.0.0/32', '::/128'],
} as const;

function isInAny(ip: CelIp, name: keyof typeof networks): boolean {
  return networks[name].some((network) => {
    const [address = '', length = ''] = network.split('/');
    const parsed = parseIp(address);
    return parsed !== undefined && ip.isIn(parsed, Number(length));
  });
}

/** Of the second byte only the scope counts, not the flags. */
const isLinkLocalMulticast = ({ family, value }: CelIp): boolean =>
  family === 4 ? value >> 8n === 0xe00000n : ((value >> 112n) & 0xff0fn) === 0xff02n;

const isGlobalUnicast = (ip: CelIp): boolean =>
  !isInAny(ip, 'unspecified') &&
  !isInAny(ip, 'loopback') &&
  !isInAny(ip, 'multicast') &&
  !isInAny(ip, 'linkLocalUnicast') &&
  !(ip.family === 4 && ip.value === 0xffffffffn);

/** The address that a text is. */
export function ipOf(text: string): CelIp {
  const ip = parseIp(text);
  if (!ip) throw failure(`IP Address ${JSON.stringify(text)} parse error during conversion from string`);
  return ip;
}

/** Kubernetes' functions on addresses. */
export const registerIp: Library = (environment) => {
  const type = 'net.IP';
  environment
    .registerType(type, CelIp)
    .registerType('IpNamespace', IpNamespace)
    .registerConstant('ip', 'IpNamespace', new IpNamespace())
    .registerFunction(
      'IpNamespace.isCanonical(string): bool',
      (_: IpNamespace, text: string) => `${ipOf(text)}` === text,
    )
    .registerFunction('isIP(string): bool', (text: string) => parseIp(text) !== undefined)
    .registerFunction(`ip(string): ${type}`, ipOf)
    .registerFunction(`string(${type}): string`, String)
    .registerFunction(`${type}.family(): int`, (ip: CelIp) => BigInt(ip.family))
    .registerFunction(`${type}.isUnspecified(): bool`, (ip: CelIp) => isInAny(ip, 'unspecified'))
    .registerFunction(`${type}.isLoopback(): bool`, (ip: CelIp) => isInAny(ip, 'loopback'))
    .registerFunction(`${type}.isLinkLocalMulticast(): bool`, isLinkLocalMulticast)
    .registerFunction(`${type}.isLinkLocalUnicast(): bool`, (ip: CelIp) => isInAny(ip, 'linkLocalUnicast'))
    .registerFunction(`${type}.isGlobalUnicast(): bool`, isGlobalUnicast)
    .registerOperator(`${type} == ${type}`, (a: CelIp, b: CelIp) => a.family === b.family && a.value === b.value);
};
