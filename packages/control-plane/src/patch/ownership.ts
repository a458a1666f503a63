import { capUpdaters } from './cap-updaters.ts';
import type { Conflict } from './conflicts.ts';
import { FieldSet } from './field-set.ts';
import { compareText } from './json.ts';
import { type ManagerIdentity, type Managers, managerKey, type Ownership, ownable } from './managed-fields.ts';
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

/** The comparison of a change in one version, or undefined when that version is not served. */
export type Comparisons = (apiVersion: string) => Comparison | undefined;

/** Compares each version when it is first asked for; conversion keeps the fields as they are, but each version has its own schema. */
export function comparisonsOf({ versions, before, after }: ObjectChange): Comparisons {
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
export function takeFromOthers(managers: Managers, writer: string, comparison: Comparisons): Transfer {
  const left = new Map<string, Ownership>();
  const conflicts: Conflict[] = [];
  // There may be many managers of few versions.
  const changed = new Map<Comparison, FieldSet>();
  for (const [key, ownership] of [...managers].sort(([a], [b]) => compareText(a, b))) {
    if (key === writer) {
      if (!ownership.fields.isEmpty) left.set(key, ownership);
      continue;
    }
    const changes = comparison(ownership.apiVersion);
    if (!changes) continue;
    const written = changed.get(changes) ?? changes.modified.union(changes.added);
    changed.set(changes, written);
    const taken = ownership.fields.intersection(written);
    for (const path of taken.paths()) conflicts.push({ owner: ownership.identity, path });
    const fields = ownership.fields.difference(taken).difference(changes.removed);
    if (!fields.isEmpty) left.set(key, { ...ownership, fields });
  }
  return { managers: left, conflicts };
}

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
  // which distinguishes a change of its fields from no change.
  const comparisons = comparisonsOf(change);
  const left = new Map(takeFromOthers(current, '', comparisons).managers);
  const own = comparisons(change.apiVersion);
  const changed = own ? ownable(own.modified.union(own.added)) : new FieldSet();
  if (!changed.isEmpty) {
    const owned = left.get(key)?.fields ?? new FieldSet();
    left.set(key, { identity: updater, apiVersion: change.apiVersion, fields: owned.union(changed), time });
  }
  return capUpdaters(left);
}
