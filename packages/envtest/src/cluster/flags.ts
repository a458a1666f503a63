/** Flags of a component by name without dashes. A list repeats the flag; `undefined` takes a default away. */
export type Flags = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The command line of flags; later ones replace earlier ones of the same name. */
export function renderFlags(...layers: readonly (Flags | undefined)[]): string[] {
  const merged: Flags = Object.assign({}, ...layers);
  return Object.entries(merged).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const values = typeof value === 'string' ? [value] : value;
    return values.map((one) => `--${name}=${one}`);
  });
}
