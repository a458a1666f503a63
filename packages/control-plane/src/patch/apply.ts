import type { Conflict } from './conflicts.ts';
import { FieldSet } from './field-set.ts';
import { equalJson } from './json.ts';
import { type ManagerIdentity, type Managers, managerKey, type Ownership, ownable } from './managed-fields.ts';
import { comparisonsOf, currentManagers, type ServedVersions, takeFromOthers } from './ownership.ts';
import { fieldsOf, withNamedFields } from './typed-fields.ts';
import { mergeTyped, removeTyped } from './typed-merge.ts';

/** One apply, on objects that fit the schema. */
export interface ApplyInput {
  readonly versions: ServedVersions;
  readonly apiVersion: string;
  readonly live: unknown;
  readonly applied: unknown;
  readonly managers: Managers;
  readonly applier: ManagerIdentity;
  readonly force: boolean;
  readonly time: string;
}

/** What came of an apply. With conflicts and without force, nothing may be written. */
export interface ApplyOutcome {
  readonly object: unknown;
  readonly managers: Managers;
  readonly conflicts: readonly Conflict[];
}

/**
 * Lays the applied object over the live one, removes what the applier applied before and does not any more,
 * and updates the owners of fields.
 */
export function applyObject(input: ApplyInput): ApplyOutcome {
  const { versions, apiVersion, live, applied, applier, force, time } = input;
  const version = versions.get(apiVersion);
  if (!version) throw new TypeError(`version ${apiVersion} is not served`);
  const key = managerKey(applier);
  const managers = new Map(currentManagers(input.managers, versions));
  const before = managers.get(key);

  const all = fieldsOf(version.type, applied);
  const fields = version.resetFields ? all.recursiveDifference(version.resetFields) : all;
  managers.set(key, { identity: applier, apiVersion, fields, ...(before?.time && { time: before.time }) });

  const merged = mergeTyped(version.type, live, applied);
  const pruned = prune(versions, merged, managers, before);
  const transfer = takeFromOthers(managers, key, comparisonsOf({ versions, apiVersion, before: live, after: pruned }));
  if (transfer.conflicts.length > 0 && !force)
    return { object: live, managers: input.managers, conflicts: transfer.conflicts };

  const changed = !equalJson(live, pruned);
  return {
    object: changed ? pruned : live,
    managers: updateTime(transfer.managers, key, changed ? time : undefined),
    conflicts: [],
  };
}

/** Drops what cannot be owned from the applier's entry and stamps it, if the object changed. */
function updateTime(managers: Managers, key: string, time: string | undefined): Managers {
  const updated = new Map(managers);
  const own = updated.get(key);
  if (!own) return updated;
  const fields = ownable(own.fields);
  if (fields.isEmpty) updated.delete(key);
  else updated.set(key, { ...own, fields, ...(time && { time }) });
  return updated;
}

/** Removes what was applied last time, unless it is applied this time too or another manager owns it. */
function prune(versions: ServedVersions, merged: unknown, managers: Managers, before: Ownership | undefined): unknown {
  const type = before && versions.get(before.apiVersion)?.type;
  if (!type || before.fields.isEmpty) return merged;
  const last = withNamedFields(before.fields, type);
  const owned = keepOwned(versions, merged, removeTyped(type, merged, last), managers, before.apiVersion);
  // Only fields that the applier owned are removed: a field without an owner stays with its list item.
  const gone = withNamedFields(fieldsOf(type, merged), type).difference(withNamedFields(fieldsOf(type, owned), type));
  return removeTyped(type, merged, gone.intersection(last));
}

/** Adds back what any manager still owns, version by version, the pruned one first. */
function keepOwned(
  versions: ServedVersions,
  merged: unknown,
  pruned: unknown,
  managers: Managers,
  first: string,
): unknown {
  const byVersion = Map.groupBy(managers.values(), ({ apiVersion }) => apiVersion);
  const order = [first, ...[...byVersion.keys()].filter((apiVersion) => apiVersion !== first)];
  return order.reduce((kept, apiVersion) => {
    const type = versions.get(apiVersion)?.type;
    const ownerships = byVersion.get(apiVersion);
    if (!type || !ownerships) return kept;
    const owned = ownerships.reduce((set, { fields }) => set.union(fields), new FieldSet());
    const stays = withNamedFields(fieldsOf(type, kept), type).union(withNamedFields(owned, type));
    return removeTyped(type, merged, withNamedFields(fieldsOf(type, merged), type).difference(stays));
  }, pruned);
}
