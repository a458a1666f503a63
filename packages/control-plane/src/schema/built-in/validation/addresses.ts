import { isIPv4, isIPv6 } from 'node:net';

export const ipSentence = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
export const cidrSentence = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

export function isCidr(text: string): boolean {
  const [address = '', bits = '', ...more] = text.split('/');
  if (more.length > 0 || !/^\d{1,3}$/.test(bits)) return false;
  return (isIPv4(address) && Number(bits) <= 32) || (isIPv6(address) && Number(bits) <= 128);
}
