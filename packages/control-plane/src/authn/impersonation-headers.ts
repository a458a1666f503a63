import { badRequest } from '../errors/api-errors.ts';
import { goQuote } from '../errors/go-text.ts';
import type { UserInfo } from './user-info.ts';

const extraPrefix = 'impersonate-extra-';

/** Whom a request wants to be; undefined if it is content with who it is. */
export function impersonatedUser(headers: Readonly<Record<string, string>>): UserInfo | undefined {
  const name = headers['impersonate-user'] ?? '';
  const uid = headers['impersonate-uid'] ?? '';
  const groups = valuesOf(headers['impersonate-group']);
  const extra: Record<string, string[]> = {};
  for (const [header, value] of Object.entries(headers)) {
    if (!header.startsWith(extraPrefix)) continue;
    const key = unescapeKey(header.slice(extraPrefix.length));
    extra[key] = [...(extra[key] ?? []), ...valuesOf(value)];
  }
  const hasExtra = Object.keys(extra).length > 0;
  if (name === '') {
    if (uid === '' && groups.length === 0 && !hasExtra) return undefined;
    throw badRequest(`requested ${describe(uid, groups, extra)} without impersonating a user name`);
  }
  return { name, groups, ...(uid !== '' && { uid }), ...(hasExtra && { extra }) };
}

/** Node joins the lines of a repeated header with a comma and a space. */
const valuesOf = (header: string | undefined): string[] => (header === undefined ? [] : header.split(', '));

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
