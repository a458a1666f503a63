const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (Array.isArray(value) ? value.length === 0 : typeof value === 'object' && Object.keys(value).length === 0);

/**
 * Equality of JSON values as Kubernetes means it. Absent, null, `[]` and `{}` are the same, because servers and clients
 * drop or add them freely; the order of fields does not matter, that of list items does. An empty string, 0 and false
 * are values and differ from absence. Quantities and times are compared as text: `1` and `1000m` differ.
 */
export function semanticEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (isEmpty(a) || isEmpty(b)) return isEmpty(a) && isEmpty(b);
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return Object.is(a, b);
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => semanticEqual(item, b[index]));
  }
  const left = new Map<string, unknown>(Object.entries(a));
  const right = new Map<string, unknown>(Object.entries(b));
  for (const [field, value] of left) {
    if (!semanticEqual(value, right.get(field))) return false;
  }
  for (const [field, value] of right) {
    if (!left.has(field) && !isEmpty(value)) return false;
  }
  return true;
}
