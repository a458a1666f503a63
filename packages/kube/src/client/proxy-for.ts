import { BlockList, isIP, isIPv6 } from 'node:net';
import { isLoopback } from './loopback.ts';

/** Environment variables, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Host without the brackets of an IPv6 address. */
export const bareHost = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

const defaultPorts: Readonly<Record<string, number>> = { 'https:': 443, 'socks5:': 1080, 'socks5h:': 1080 };

/** Port of a URL, also where it is the default of its scheme. */
export const portOf = (url: URL): number => Number(url.port) || (defaultPorts[url.protocol] ?? 80);

const family = (ip: string) => (isIPv6(ip) ? 'ipv6' : 'ipv4');

const firstSet = (env: Environment, ...names: readonly string[]): string | undefined =>
  names.map((name) => env[name]).find((value) => value);

/** One element of NO_PROXY. */
interface Exception {
  matches(host: string, port: string): boolean;
}

/** `host:port`, `[ip6]:port` or just a host; the port is optional. */
function splitPort(text: string): { host: string; port: string } {
  const bracketed = /^\[(.*)\](?::(\d+))?$/.exec(text);
  if (bracketed) return { host: bracketed[1] ?? '', port: bracketed[2] ?? '' };
  const plain = /^([^:]*):(\d+)$/.exec(text);
  return plain ? { host: plain[1] ?? '', port: plain[2] ?? '' } : { host: text, port: '' };
}

function parseException(text: string): Exception | undefined {
  const [address = '', bits] = text.split('/', 2);
  if (bits !== undefined && isIP(address) && /^\d+$/.test(bits) && Number(bits) <= (isIPv6(address) ? 128 : 32)) {
    const range = new BlockList();
    range.addSubnet(address, Number(bits), family(address));
    return { matches: (host) => isIP(host) !== 0 && range.check(host, family(host)) };
  }
  const { host: pattern, port: onlyPort } = splitPort(text);
  const rightPort = (port: string) => onlyPort === '' || onlyPort === port;
  if (isIP(pattern)) {
    const one = new BlockList();
    one.addAddress(pattern, family(pattern));
    return { matches: (host, port) => isIP(host) !== 0 && rightPort(port) && one.check(host, family(host)) };
  }
  const domain = pattern.startsWith('*.') ? pattern.slice(1) : pattern;
  if (domain === '') return undefined;
  // A leading dot means subdomains only; without it the domain itself too.
  const suffix = domain.startsWith('.') ? domain : `.${domain}`;
  return { matches: (host, port) => rightPort(port) && (host.endsWith(suffix) || host === domain) };
}

/** Whether NO_PROXY exempts an address, by the rules of Go's httpproxy package, which kubectl and client-go follow. */
export function isExempt(noProxy: string, host: string, port: number): boolean {
  for (const element of noProxy.split(',')) {
    const text = element.trim().toLowerCase();
    if (text === '*') return true;
    if (text !== '' && parseException(text)?.matches(host.toLowerCase(), String(port))) return true;
  }
  return false;
}

/** The proxy that the environment names for a server; loopback is never proxied. */
export function proxyFromEnvironment(env: Environment, server: URL): string | undefined {
  const proxy =
    server.protocol === 'https:'
      ? firstSet(env, 'HTTPS_PROXY', 'https_proxy')
      : firstSet(env, 'HTTP_PROXY', 'http_proxy');
  const host = bareHost(server);
  if (!proxy || isLoopback(host)) return undefined;
  if (isExempt(firstSet(env, 'NO_PROXY', 'no_proxy') ?? '', host, portOf(server))) return undefined;
  return proxy;
}
