import { JsonPathError, type Slice } from './nodes.ts';

const shape = /^(-?[0-9]*)(:-?[0-9]*)?(:-?[0-9]*)?$/;

/** Parses what stands in brackets and is not a key: `3`, `-1`, `1:`, `:2`, `0:6:2`, `*`. */
export function parseSlice(text: string): Slice {
  const match = shape.exec(text === '*' ? ':' : text);
  if (!match) throw new JsonPathError(`invalid array index ${text}`);
  const [, first = '', second, third] = match;
  const start = bound(first);
  const end = bound(second?.slice(1) ?? '');
  const step = bound(third?.slice(1) ?? '');
  return {
    single: second === undefined,
    ...(start !== undefined && { start }),
    ...(end !== undefined && { end }),
    ...(step !== undefined && { step }),
  };
}

function bound(text: string): number | undefined {
  if (text === '') return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new JsonPathError(`array index ${text} is not a number`);
  return value;
}

/** The bounds of a slice in a list. Those outside of the list are an error, as in Kubernetes. */
export function boundsOf(
  list: readonly unknown[],
  { start: from, end: to, step = 1, single }: Slice,
): { readonly start: number; readonly end: number; readonly step: number } {
  let start = from ?? 0;
  if (start < 0) start += list.length;
  let end = single ? (from ?? 0) + 1 : (to ?? list.length);
  if (end < 0 || (end === 0 && single)) end += list.length;
  if (start === end) return { start: 0, end: 0, step: 1 };
  if (start < 0 || start >= list.length) throw outOfBounds(start, list);
  if (end < 0 || end > list.length) throw outOfBounds(end - 1, list);
  if (start > end) throw new JsonPathError(`starting index ${start} is greater than ending index ${end}`);
  if (step <= 0) throw new JsonPathError('step must be > 0');
  return { start, end, step };
}

const outOfBounds = (index: number, list: readonly unknown[]): JsonPathError =>
  new JsonPathError(`array index out of bounds: index ${index}, length ${list.length}`);
