import type { HeaderList } from './member.ts';

/** They are about one connection, and each connection on the way has its own. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
]);

/** They say who sends a request or how it came, which is not for the sender to say. */
const isIdentity = (name: string): boolean =>
  name === 'authorization' ||
  name === 'cookie' ||
  name === 'host' ||
  name === 'expect' ||
  name === 'forwarded' ||
  name.startsWith(':') ||
  name.startsWith('impersonate-') ||
  name.startsWith('x-remote-') ||
  name.startsWith('x-forwarded-') ||
  name.startsWith('flotilla-');

/** The headers of a request that go on to the managed cluster. */
export const requestHeaders = (headers: HeaderList): HeaderList =>
  headers.filter(([name]) => !hopByHop.has(name) && !isIdentity(name));

/** Of an answer: what browsers would take for the word of the hub. API servers drop the latter of aggregated ones too. */
const isOfOrigin = (name: string): boolean => name === 'set-cookie' || name.startsWith('access-control-');

/** The headers of an answer that go back to the user. A cluster sets no cookies on the hub, and opens it to no other site. */
export const answerHeaders = (headers: HeaderList): HeaderList =>
  headers.filter(
    ([name]) => !hopByHop.has(name) && !name.startsWith(':') && !name.startsWith('flotilla-') && !isOfOrigin(name),
  );

/** Names and values in turn, as Node has them. */
export function headerList(raw: readonly string[]): HeaderList {
  const found: [string, string][] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) found.push([(raw[at] ?? '').toLowerCase(), raw[at + 1] ?? '']);
  return found;
}

/** By name, for Node: several of one name as a list. */
export function headerRecord(headers: HeaderList): Record<string, string | string[]> {
  const record: Record<string, string | string[]> = {};
  for (const [name, value] of headers) {
    const before = record[name];
    record[name] = before === undefined ? value : [before, value].flat();
  }
  return record;
}
