import { isRecord, parseJson, stringifyJson } from '@flotilla/schema';

/** Values of a chart or template. */
export type Values = Readonly<Record<string, unknown>>;

/** Later values win; maps are merged, all else is replaced. */
export function mergeValues(...layers: readonly Values[]): Record<string, unknown> {
  const merged: Record<string, unknown> = {};
  for (const layer of layers) {
    for (const [key, value] of Object.entries(layer)) {
      const present = merged[key];
      merged[key] = isRecord(present) && isRecord(value) ? mergeValues(present, value) : value;
    }
  }
  return merged;
}

/** Values as JSON knows them; what it does not know is refused and not dropped. */
export function normalizeValues(values: Values): Values {
  const refuse = (path: string, value: unknown): never => {
    throw new TypeError(`failed to normalize Helm values: ${path} is a ${typeof value}, which JSON does not have`);
  };
  const check = (value: unknown, path: string): void => {
    if (typeof value === 'function' || typeof value === 'symbol') refuse(path, value);
    if (typeof value === 'number' && !Number.isFinite(value)) refuse(path, value);
    if (Array.isArray(value)) for (const [index, item] of value.entries()) check(item, `${path}[${index}]`);
    else if (isRecord(value))
      for (const [key, item] of Object.entries(value)) check(item, path ? `${path}.${key}` : key);
  };
  check(values, '');
  let normal: unknown;
  try {
    normal = parseJson(stringifyJson(values));
  } catch (error) {
    throw new TypeError(`failed to normalize Helm values: ${error instanceof Error ? error.message : String(error)}`);
  }
  return isRecord(normal) ? normal : {};
}
