const isAbsent = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);

/**
 * Equality of JSON values as Kubernetes means it. Absent, null and `[]` are the same, because servers and clients drop or
 * add them freely. `{}` is a value, because it can mean something (`emptyDir: {}`, a selector that matches all), and so are
 * the empty string, 0 and false. The order of fields does not matter, that of items does. Quantities and times are compared
 * as text: `1` and `1000m` differ.
 */
export function semanticEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (isAbsent(a) || isAbsent(b)) return isAbsent(a) && isAbsent(b);
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
    if (!left.has(field) && !isAbsent(value)) return false;
  }
  return true;
}
