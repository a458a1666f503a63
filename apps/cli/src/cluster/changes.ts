import { isRecord, type KubeObject } from '@flotilla/schema';
import { accessChanges } from './access-changes.ts';

/** A field that would be another one. */
export interface Change {
  /** Such as `spec.workImagePullSpec`. */
  readonly field: string;
  /** Undefined if the field is new. */
  readonly from: unknown;
  /** Undefined if the field is removed. */
  readonly to: unknown;
}

/** What the API server keeps about an object by itself. */
const kept = ['managedFields', 'resourceVersion', 'generation', 'creationTimestamp', 'uid', 'selfLink'];

/** The fields in which an object differs after a write, also those that the write removes. */
export function changesBetween(before: KubeObject, after: KubeObject): Change[] {
  const changes = differences(comparable(before), comparable(after), '');
  if (after.kind !== 'Secret' && before.kind !== 'Secret') return changes;
  return [...accessChanges(before, after), ...changes.map(withoutValue)];
}

function comparable(object: KubeObject): Record<string, unknown> {
  const { apiVersion: _, kind: __, status: ___, metadata = {}, ...rest } = object as KubeObject & { status?: unknown };
  const entries = Object.entries(metadata).filter(([key]) => !kept.includes(key));
  return { ...rest, metadata: Object.fromEntries(entries) };
}

/** That a value of a Secret changes may be said, not to what. */
const withoutValue = (change: Change): Change =>
  /^(data|stringData)\b/.test(change.field) ? { ...change, from: '<redacted>', to: '<redacted>' } : change;

function differences(from: unknown, to: unknown, field: string): Change[] {
  if (isRecord(to) && isRecord(from)) {
    const keys = new Set([...Object.keys(from), ...Object.keys(to)]);
    return [...keys].flatMap((key) => differences(from[key], to[key], field ? `${field}.${key}` : key));
  }
  if (isRecord(to) && from === undefined && Object.keys(to).length > 0) {
    return Object.entries(to).flatMap(([key, value]) => differences(undefined, value, `${field}.${key}`));
  }
  if (Array.isArray(to) && Array.isArray(from) && to.length === from.length) {
    return to.flatMap((item, at) => differences(from[at], item, `${field}[${at}]`));
  }
  return JSON.stringify(from) === JSON.stringify(to) ? [] : [{ field, from, to }];
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const lineOf = ({ field, from, to }: Change): string => {
  if (to === undefined) return field ? `  ${field}: ${shown(from)} → removed` : '  removed';
  return `  ${field ? `${field}: ` : ''}${from === undefined ? '' : `${shown(from)} → `}${shown(to)}`;
};

/** A line for each change. */
export const formatChanges = (changes: readonly Change[]): string => changes.map(lineOf).join('\n');
