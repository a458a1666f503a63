/** What a value takes besides its text: a slot and a header, roughly as in V8. */
const overheadBytes = 16;

/** About how much memory a decoded JSON value takes. Exact for long texts, which are what makes objects large. */
export function approximateBytes(value: unknown): number {
  if (typeof value === 'string') return overheadBytes + value.length;
  if (typeof value !== 'object' || value === null) return overheadBytes;
  let bytes = overheadBytes;
  if (Array.isArray(value)) {
    for (const item of value) bytes += approximateBytes(item);
    return bytes;
  }
  for (const key in value) bytes += key.length + approximateBytes((value as Record<string, unknown>)[key]);
  return bytes;
}
