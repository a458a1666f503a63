/**
 * Objects and lists may not be nested deeper. Go allows 10,000 levels; here each level is a few frames of a stack that is one megabyte.
 * No kind has more than some tens.
 */
export const maxDepth = 1000;

/** What a document that is nested deeper is refused with, in Go's words. */
export const tooDeep = 'exceeded max depth';

/** Walks without recursion, so that it can check documents that are too deep for recursion. */
export function isTooDeep(document: unknown): boolean {
  let level: object[] = isContainer(document) ? [document] : [];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > maxDepth) return true;
    level = level.flatMap((container) => Object.values(container).filter(isContainer));
  }
  return false;
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;
