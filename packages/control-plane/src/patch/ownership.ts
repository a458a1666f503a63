import type { Conflict } from './conflicts.ts';
import { FieldSet } from './field-set.ts';
import { compareText } from './json.ts';
import type { Managers, Ownership } from './managed-fields.ts';
import { type ManagerIdentity, managerKey, ownable, secondsOf } from './managed-fields.ts';
import type { ValueType } from './object-type.ts';
import { type Comparison, compareTyped, excludeFields } from './typed-compare.ts';
import { reconcileWithType } from './typed-fields.ts';

/** One version that a kind is served in, as far as ownership of its fields goes. */
export interface VersionFields {
  readonly type: ValueType;
  /** Fields that this endpoint does not write whatever is sent, `.status` for the main resource: they get no owner from it. */
  readonly resetFields?: FieldSet;
}

/** All versions that a kind is served in, by apiVersion. */
export type ServedVersions = ReadonlyMap<string, VersionFields>;

/** A change from one object to another, seen in each version. */
export interface ObjectChange {
  readonly versions: ServedVersions;
  /** The version that is written. */
  readonly apiVersion: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Comparisons of one change by version; conversion keeps the fields as they are, but each version has its own schema. */
export function comparisonsOf({
  versions,
  before,
  after,
}: ObjectChange): (apiVersion: string) => Comparison | undefined {
  const made = new Map<string, Comparison>();
  return (apiVersion) => {
    const version = versions.get(apiVersion);
    const comparison =
      made.get(apiVersion) ??
      (version && excludeFields(compareTyped(version.type, before, after), version.resetFields));
    if (comparison) made.set(apiVersion, comparison);
    return comparison;
  };
}

/** Managers whose version is still served, with their sets in terms of today's schema. */
export function currentManagers(managers: Managers, versions: ServedVersions): Managers {
  return new Map(
    [...managers].flatMap(([key, ownership]): [string, Ownership][] => {
      const version = versions.get(ownership.apiVersion);
      if (!version) return [];
      return [[key, { ...ownership, fields: reconcileWithType(ownership.fields, version.type) }]];
    }),
  );
}

/** What the others lose by a change: fields that get another value or go away. */
export interface Transfer {
  readonly managers: Managers;
  readonly conflicts: readonly Conflict[];
}

/** Takes every changed and removed field from all managers but the one that made the change. */
export function takeFromOthers(managers: Managers, writer: string, change: ObjectChange): Transfer {
  const comparison = comparisonsOf(change);
  const left = new Map<string, Ownership>();
  const conflicts: Conflict[] = [];
  for (const [key, ownership] of [...managers].sort(([a], [b]) => compareText(a, b))) {
    if (key === writer) {
      if (!ownership.fields.isEmpty) left.set(key, ownership);
      continue;
    }
    const changes = comparison(ownership.apiVersion);
    if (!changes) continue;
    const taken = ownership.fields.intersection(changes.modified.union(changes.added));
    for (const path of taken.paths()) conflicts.push({ owner: ownership.identity, path });
    const fields = ownership.fields.difference(taken).difference(changes.removed);
    if (!fields.isEmpty) left.set(key, { ...ownership, fields });
  }
  return { managers: left, conflicts };
}

/** How long the list of managers may grow by updates before the oldest are thrown together. */
export const maxUpdateManagers = 10;

/** Managers after an update: the changed fields now belong to the updater, in addition to what it owned. */
export function updateOwners(
  managers: Managers,
  updater: ManagerIdentity,
  change: ObjectChange,
  time: string,
): Managers {
  const key = managerKey(updater);
  const current = currentManagers(managers, change.versions);
  // The updater's own entry is one of the others here: a field that it changes again is taken from it and given back below,
  // which is how a change of its fields is told from no change.
  const left = new Map(takeFromOthers(current, '', change).managers);
  const comparison = comparisonsOf(change)(change.apiVersion);
  const changed = comparison ? ownable(comparison.modified.union(comparison.added)) : new FieldSet();
  if (!changed.isEmpty) {
    const owned = left.get(key)?.fields ?? new FieldSet();
    left.set(key, { identity: updater, apiVersion: change.apiVersion, fields: owned.union(changed), time });
  }
  return capUpdaters(left);
}

/** Merges the oldest updaters of a version into one `ancient-changes` until there are few enough. */
function capUpdaters(managers: Managers): Managers {
  const updaters = [...managers].filter(([, { identity }]) => identity.operation === 'Update');
  let surplus = updaters.length - maxUpdateManagers;
  if (surplus <= 0) return managers;
  const oldestFirst = updaters.sort(([aKey, a], [bKey, b]) => secondsBetween(a, b) || compareText(aKey, bKey));
  const capped = new Map(managers);
  const firstOfVersion = new Map<string, string>();
  for (const [key, ownership] of oldestFirst) {
    if (surplus <= 0) break;
    const { apiVersion } = ownership;
    const first = firstOfVersion.get(apiVersion);
    if (first === undefined) {
      firstOfVersion.set(apiVersion, key);
      continue;
    }
    const identity: ManagerIdentity = { manager: 'ancient-changes', operation: 'Update', apiVersion };
    const bucketKey = managerKey(identity);
    const takesFirst = key === bucketKey || !capped.has(bucketKey);
    const bucket = capped.get(takesFirst ? first : bucketKey);
    if (takesFirst) capped.delete(first);
    capped.delete(key);
    capped.set(bucketKey, {
      ...ownership,
      identity,
      fields: bucket ? ownership.fields.union(bucket.fields) : ownership.fields,
    });
    surplus--;
  }
  return capped;
}

const secondsBetween = (a: Ownership, b: Ownership): number => secondsOf(a) - secondsOf(b);
