import { FieldManager } from '@flotilla/api-types';
import type { ManagedFieldsEntry } from '@flotilla/schema';
import { isRecord } from '@flotilla/schema';
import type { Manifest } from '../../manifest.ts';

/** Whether each required field has its value; what the server filled in besides is not a difference. */
export function includes(live: unknown, required: unknown): boolean {
  if (required === undefined || required === null) return true;
  if (Array.isArray(required)) {
    return (
      Array.isArray(live) &&
      live.length === required.length &&
      required.every((item, index) => includes(live[index], item))
    );
  }
  if (isRecord(required)) {
    return isRecord(live) && Object.entries(required).every(([field, value]) => includes(live[field], value));
  }
  return live === required;
}

const writesBody = ({ fieldsV1, subresource }: ManagedFieldsEntry): boolean =>
  subresource !== 'status' &&
  Object.keys(fieldsV1 ?? {}).some((field) => field !== 'f:metadata' && field !== 'f:status');

/** Who else wrote fields that a manifest may set, the latest first; by the server's own book. */
export function otherWriters({ metadata }: Manifest): string[] {
  const entries = (metadata?.managedFields ?? []).filter(
    (entry) => writesBody(entry) && !entry.manager?.startsWith(FieldManager.WorkAgent),
  );
  entries.sort((a, b) => (b.time ?? '').localeCompare(a.time ?? ''));
  return [...new Set(entries.map(({ manager }) => manager ?? 'an unnamed writer'))];
}

/**
 * Whether a write of the manifest would change nothing, although it leaves out what the server filled in: no other writer wrote
 * to the object, and all that is required is there. Only for a manifest that was applied before as it is: one that dropped a field
 * would not be noticed.
 */
export const isUntouched = (required: Manifest, live: Manifest): boolean =>
  live.metadata?.managedFields !== undefined &&
  otherWriters(withoutScale(required, live)).length === 0 &&
  hasAll(required, live);

/** Whether all required fields of the body are there. */
export function hasAll(required: Manifest, live: Manifest): boolean {
  const { metadata: _, status: __, ...body } = required;
  return includes(live, body);
}

/** A manifest that does not say how many replicas leaves that to an autoscaler, which writes by the subresource `scale`. */
function withoutScale(required: Manifest, live: Manifest): Manifest {
  if (isRecord(required.spec) && required.spec.replicas !== undefined) return live;
  const managedFields = live.metadata?.managedFields?.filter(({ subresource }) => subresource !== 'scale');
  return { ...live, metadata: { ...live.metadata, managedFields } };
}
