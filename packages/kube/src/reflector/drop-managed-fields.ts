import type { KubeObject } from '@flotilla/schema';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * Drops what no controller reads and what is often a third of an object: who set which field, and kubectl's copy of what was
 * applied. Copies instead of deleting, because deleting turns an object into a hash table that takes more memory than it saved.
 */
export function dropManagedFields<T extends KubeObject>(object: T): T {
  const { metadata } = object;
  const annotations = metadata?.annotations;
  const wasApplied = annotations !== undefined && lastApplied in annotations;
  if (!metadata || !(metadata.managedFields || wasApplied)) return object;
  const { managedFields: _, ...kept } = metadata;
  if (wasApplied) {
    const { [lastApplied]: _, ...rest } = annotations;
    kept.annotations = rest;
  }
  return { ...object, metadata: kept };
}
