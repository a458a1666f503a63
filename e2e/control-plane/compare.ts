import { isRecord, stringifyJson } from '@flotilla/schema';
/** One place where two answers are not the same. */
export interface Difference {
  /** `body.metadata.labels.app` */
  readonly at: string;
  readonly real: unknown;
  readonly embedded: unknown;
}

/** Every place where two JSON values differ; the order of fields does not count, that of items does. */
export function compare(real: unknown, embedded: unknown, at = ''): Difference[] {
  if (Object.is(real, embedded)) return [];
  const bothLists = Array.isArray(real) && Array.isArray(embedded);
  const bothObjects = isRecord(real) && isRecord(embedded);
  if (!bothLists && !bothObjects) return [{ at, real, embedded }];
  const keys = new Set([...Object.keys(real), ...Object.keys(embedded)]);
  return [...keys].flatMap((key) =>
    compare(Reflect.get(real, key), Reflect.get(embedded, key), at === '' ? key : `${at}.${key}`),
  );
}

/** Text for the report: the call, and below it each place with both values. */
export const describeDifferences = (call: string, differences: readonly Difference[]): string =>
  [
    call,
    ...differences.map(
      ({ at, real, embedded }) => `    ${at}\n      real      ${shown(real)}\n      embedded  ${shown(embedded)}`,
    ),
  ].join('\n');

const shown = (value: unknown): string => (value === undefined ? '(nothing)' : stringifyJson(value));
