import type { KubeObject, ManagedFieldsEntry } from '@flotilla/schema';
import { isRecord } from '@flotilla/schema';
import { equalJson, withoutField } from './json.ts';

/**
 * The object to store with the timestamps of its managedFields put back, if they are all that changes: otherwise a write
 * that changes nothing would make a new resource version each second.
 */
export function keepTimestamps<T extends KubeObject>(live: KubeObject, next: T): T {
  const before = live.metadata?.managedFields ?? [];
  const after = next.metadata?.managedFields ?? [];
  if (after.length === 0 || after.length !== before.length) return next;
  if (after.every((entry, index) => entry.time === before[index]?.time)) return next;
  const sameOwners = after.every((entry, index) => equalJson(withoutTime(entry), withoutTime(before[index])));
  if (!sameOwners || !equalJson(withoutManagedFields(next), withoutManagedFields(live))) return next;
  return { ...next, metadata: { ...next.metadata, managedFields: before } };
}

const withoutTime = (entry: ManagedFieldsEntry | undefined): unknown =>
  isRecord(entry) ? withoutField(entry, 'time') : entry;

function withoutManagedFields(object: KubeObject): object {
  const { managedFields: _, ...metadata } = object.metadata ?? {};
  return { ...object, metadata };
}
