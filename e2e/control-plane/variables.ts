/** Values that earlier answers of one server had. */
export type Variables = Map<string, string>;

/** Puts values in the place of `{name}`; braces around anything else are left alone. */
export const fill = (text: string, variables: Variables): string =>
  text.replace(/\{([a-zA-Z]\w*)\}/g, (whole, name: string) => variables.get(name) ?? whole);

/** The same in every text of a JSON value. */
export function fillAll(value: unknown, variables: Variables): unknown {
  if (typeof value === 'string') return fill(value, variables);
  if (Array.isArray(value)) return value.map((item) => fillAll(item, variables));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [fill(key, variables), fillAll(field, variables)]),
  );
}

/** The text at a path of fields and indexes: `items.0.metadata.name`. */
export function textAt(value: unknown, path: string): string | undefined {
  let found = value;
  for (const part of path.split('.')) {
    found = typeof found === 'object' && found !== null ? Reflect.get(found, part) : undefined;
  }
  return found === undefined || typeof found === 'object' ? undefined : String(found);
}
