import { type AppliedManifestWork, FieldManager } from '@flotilla/api-types';
import type { ManagedFieldsEntry } from '@flotilla/schema';
import { isRecord } from '@flotilla/schema';

const labelsOf = ({ fieldsV1 }: ManagedFieldsEntry): string[] => {
  const metadata = isRecord(fieldsV1) ? fieldsV1['f:metadata'] : undefined;
  const labels = isRecord(metadata) ? metadata['f:labels'] : undefined;
  return isRecord(labels) ? Object.keys(labels).filter((field) => field.startsWith('f:')) : [];
};

/** A record as it is cached: of managedFields, who set which label. */
export function withLabelOwners(record: AppliedManifestWork): AppliedManifestWork {
  const { managedFields, ...metadata } = record.metadata ?? {};
  const owners = (managedFields ?? []).flatMap((entry): ManagedFieldsEntry[] => {
    const labels = labelsOf(entry).map((field) => [field, {}] as const);
    if (labels.length === 0) return [];
    return [{ manager: entry.manager, fieldsV1: { 'f:metadata': { 'f:labels': Object.fromEntries(labels) } } }];
  });
  return { ...record, metadata: { ...metadata, ...(owners.length > 0 && { managedFields: owners }) } };
}

/** Labels of a record that only agents set, and not other clients. */
export function ownLabels({ metadata }: AppliedManifestWork): string[] {
  const entries = metadata?.managedFields ?? [];
  const isOwn = ({ manager }: ManagedFieldsEntry): boolean => manager?.startsWith(FieldManager.WorkAgent) ?? false;
  const others = new Set(entries.filter((entry) => !isOwn(entry)).flatMap(labelsOf));
  const own = entries.filter(isOwn).flatMap(labelsOf);
  return own.filter((field) => !others.has(field)).map((field) => field.slice('f:'.length));
}
