import { isRecord, type KubeObject } from '@flotilla/schema';

/** A field that would be another one. */
export interface Change {
  /** Such as `spec.workImagePullSpec`. */
  readonly field: string;
  /** Undefined if the field is new. */
  readonly from: unknown;
  readonly to: unknown;
}

/**
 * What applying an object would change in the one that is there. Fields that are not applied stay, and labels and annotations of others
 * too, so that nothing is said about them.
 */
export function changesOf(found: KubeObject, wanted: KubeObject): Change[] {
  const { metadata: _, apiVersion: __, kind: ___, ...applied } = wanted;
  return differences(found as Readonly<Record<string, unknown>>, applied, '');
}

function differences(from: unknown, to: unknown, field: string): Change[] {
  if (isRecord(to) && (isRecord(from) || from === undefined)) {
    const before = isRecord(from) ? from : {};
    return Object.entries(to).flatMap(([key, value]) =>
      differences(before[key], value, field ? `${field}.${key}` : key),
    );
  }
  if (Array.isArray(to) && Array.isArray(from) && to.length === from.length) {
    return to.flatMap((item, at) => differences(from[at], item, `${field}[${at}]`));
  }
  return JSON.stringify(from) === JSON.stringify(to) ? [] : [{ field, from, to }];
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** A line for each change. */
export const formatChanges = (changes: readonly Change[]): string =>
  changes
    .map(({ field, from, to }) => `  ${field}: ${from === undefined ? '' : `${shown(from)} → `}${shown(to)}`)
    .join('\n');
