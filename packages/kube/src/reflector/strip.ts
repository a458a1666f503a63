import type { KubeObject } from '@flotilla/api-types';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * Drops what no controller reads and what is often half of an object: who set which field, and kubectl's copy of what was applied.
 * Changes the object in place; it was decoded a moment ago and nobody else has it.
 */
export function stripBookkeeping<T extends KubeObject>(object: T): T {
  const { metadata } = object;
  if (!metadata) return object;
  if (metadata.managedFields) {
    const { managedFields: _, ...rest } = metadata;
    object.metadata = rest;
  }
  const annotations = object.metadata?.annotations;
  if (annotations && lastApplied in annotations) {
    const { [lastApplied]: _, ...rest } = annotations;
    object.metadata = { ...object.metadata, annotations: rest };
  }
  return object;
}
