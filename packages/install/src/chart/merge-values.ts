import { isRecord } from '@flotilla/schema';
import type { GivenValues } from './values.ts';

/** Values over others as Helm lays them: maps are merged, lists and the rest are replaced, and null takes a default away. */
export function mergeValues<T extends object>(base: T, ...given: readonly GivenValues<T>[]): T {
  return given.reduce<object>((merged, values) => mergeRecords(merged, values), base) as T;
}

function mergeRecords(base: object, given: object): object {
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(given)) {
    const before = merged[key];
    if (value === null) delete merged[key];
    else if (isRecord(before) && isRecord(value)) merged[key] = mergeRecords(before, value);
    else if (value !== undefined) merged[key] = value;
  }
  return merged;
}

/** An object without the keys that say nothing: empty maps, lists and texts, and what is undefined. */
export const withoutEmpty = <T extends object>(object: T): Partial<T> =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => !isEmpty(value))) as Partial<T>;

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === '' ||
  (Array.isArray(value) && value.length === 0) ||
  (isRecord(value) && Object.keys(value).length === 0);
