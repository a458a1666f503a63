/** Values of a query; undefined, false and the empty string are left out. */
export type QueryValue = string | number | boolean | undefined;

/** `?a=1&b=x%20y`, or nothing. */
export function query(parameters: Readonly<Record<string, QueryValue>>): string {
  let text = '';
  for (const name in parameters) {
    const value = parameters[name];
    if (value === undefined || value === false || value === '') continue;
    text += `${text === '' ? '?' : '&'}${name}=${encodeURIComponent(value)}`;
  }
  return text;
}
