import type { ApiRequest } from '../contracts/exchange.ts';
import type { UserInfo } from '../contracts/user-info.ts';
import { badRequest } from '../errors/api-errors.ts';
import { goQuote } from '../errors/go-text.ts';

type ImpersonationHeaders = Pick<ApiRequest, 'headers' | 'repeatedHeaders'>;

const extraPrefix = 'impersonate-extra-';

/** Who a request wants to act as; undefined if it does not. */
export function impersonatedUser({ headers, repeatedHeaders = {} }: ImpersonationHeaders): UserInfo | undefined {
  // A value may contain commas, so lines that were sent apart are not taken from their joined form.
  const valuesOf = (header: string): readonly string[] =>
    repeatedHeaders[header] ?? (headers[header] === undefined ? [] : [headers[header]]);
  const [name = ''] = valuesOf('impersonate-user');
  const [uid = ''] = valuesOf('impersonate-uid');
  const groups = valuesOf('impersonate-group');
  const extra: Record<string, string[]> = {};
  for (const header of Object.keys(headers)) {
    if (!header.startsWith(extraPrefix)) continue;
    const key = unescapeKey(header.slice(extraPrefix.length));
    extra[key] = [...(extra[key] ?? []), ...valuesOf(header)];
  }
  const hasExtra = Object.keys(extra).length > 0;
  if (name === '') {
    if (uid === '' && groups.length === 0 && !hasExtra) return undefined;
    throw badRequest(`requested ${describe(uid, groups, extra)} without impersonating a user name`);
  }
  return { name, groups, ...(uid !== '' && { uid }), ...(hasExtra && { extra }) };
}

function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key; // A broken escape is taken as it is.
  }
}

/** The server's inner form of a user, which its message shows. */
function describe(uid: string, groups: readonly string[], extra: Readonly<Record<string, readonly string[]>>): string {
  const list = (values: readonly string[]): string => `[]string{${values.map(goQuote).join(', ')}}`;
  const entries = Object.keys(extra)
    .sort()
    .map((key) => `${goQuote(key)}:${list(extra[key] ?? [])}`);
  const map = entries.length === 0 ? 'map[string][]string(nil)' : `map[string][]string{${entries.join(', ')}}`;
  const groupList = groups.length === 0 ? '[]string(nil)' : list(groups);
  return `&user.DefaultInfo{Name:"", UID:${goQuote(uid)}, Groups:${groupList}, Extra:${map}}`;
}
