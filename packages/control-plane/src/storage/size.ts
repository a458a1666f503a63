import type { KubeObject } from '@flotilla/schema';

/** What a value takes besides its text: a slot and a header, roughly as in V8. */
const overheadBytes = 16;
/** What surrounds a value in JSON: quotes, a colon, a comma. */
const punctuation = 4;

interface Parts {
  values: number;
  /** Characters of texts that take a byte for each. */
  narrow: number;
  /** Characters of texts that take two, because one of them needs two. */
  wide: number;
}

const known = new WeakMap<KubeObject, number>();

/**
 * About how much memory an object takes with its JSON, which is kept with it once it was sent to a watch. Exact for long texts, which are what
 * makes objects large. Objects do not change.
 */
export function approximateBytes(object: KubeObject): number {
  let bytes = known.get(object);
  if (bytes === undefined) {
    const parts: Parts = { values: 0, narrow: 0, wide: 0 };
    measure(object, parts);
    const { values, narrow, wide } = parts;
    const json = (punctuation * values + narrow + wide) * (wide > 0 ? 2 : 1);
    bytes = overheadBytes * values + narrow + 2 * wide + json;
    known.set(object, bytes);
  }
  return bytes;
}

function measure(value: unknown, parts: Parts): void {
  parts.values++;
  if (typeof value === 'string') {
    parts[isNarrow(value) ? 'narrow' : 'wide'] += value.length;
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) measure(item, parts);
    return;
  }
  for (const key in value) {
    parts.narrow += key.length;
    measure((value as Record<string, unknown>)[key], parts);
  }
}

/** Whether V8 keeps the text in Latin 1. */
const isNarrow = (text: string): boolean => !/[\u0100-\uffff]/.test(text);
