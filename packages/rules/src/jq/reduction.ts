import { isRecord } from '../values/json.ts';

/**
 * Whether a value of JSON is another one with fields or items left out, and nothing else. The rights of an executor were checked for
 * the manifest: what is applied instead of it must not say more.
 */
export function isReduction(value: unknown, of: unknown): boolean {
  if (Array.isArray(value)) return Array.isArray(of) && areAmong(value, of);
  if (isRecord(value)) {
    return (
      isRecord(of) &&
      Object.entries(value).every(([field, inner]) => Object.hasOwn(of, field) && isReduction(inner, of[field]))
    );
  }
  return value === of;
}

/** Whether the items are reductions of some of the others, in their order. */
function areAmong(items: readonly unknown[], others: readonly unknown[]): boolean {
  const left = others.values();
  return items.every((item) => left.some((other) => isReduction(item, other)));
}
