import type { UserInfo } from '../contracts/user-info.ts';

/** They are about one connection. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The headers for another API server: those of the request, but who sends it is what this server found out. */
export function frontProxyHeaders(
  headers: Readonly<Record<string, string>>,
  { name, uid, groups, extra = {} }: UserInfo,
): Record<string, string | string[]> {
  const passed = Object.entries(headers).filter(
    ([header]) =>
      !hopByHop.has(header) &&
      header !== 'host' &&
      header !== 'authorization' &&
      header !== 'content-length' &&
      !header.startsWith('x-remote-') &&
      !header.startsWith('impersonate-'),
  );
  return {
    ...Object.fromEntries(passed),
    'x-remote-user': name,
    ...(groups.length > 0 && { 'x-remote-group': [...groups] }),
    ...(uid && { 'x-remote-uid': uid }),
    ...Object.fromEntries(
      Object.entries(extra).map(([key, values]) => [
        `x-remote-extra-${encodeURIComponent(key).toLowerCase()}`,
        [...values],
      ]),
    ),
  };
}

/** The headers of an answer, but those about its connection. */
export function answerHeaders(headers: NodeJS.Dict<string | string[]>): Record<string, string | string[]> {
  const passed: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !hopByHop.has(name)) passed[name] = value;
  }
  return passed;
}
