import type { ManagedFieldsEntry } from '@flotilla/schema';
import { type FieldPath, fieldPath } from './field-path.ts';
import { FieldSet } from './field-set.ts';
import { decodeManagedFields, encodeManagedFields, type Ownership } from './managed-fields.ts';

/** Where each version of a kind keeps its replicas. A version without a scale subresource has none. */
export type ReplicasPaths = ReadonlyMap<string, FieldPath | undefined>;

const scaleVersion = 'autoscaling/v1';
const replicasOfScale = fieldPath('spec', 'replicas');

/** The managedFields of the Scale of an object: who owns its replicas. */
export function toScaleManagedFields(parent: unknown, paths: ReplicasPaths): ManagedFieldsEntry[] {
  const owners = new Map<string, Ownership>();
  for (const [key, ownership] of decodeManagedFields(parent)) {
    const path = paths.get(ownership.apiVersion);
    if (!path || !ownership.fields.has(path)) continue;
    owners.set(key, { ...ownership, apiVersion: scaleVersion, fields: FieldSet.of(replicasOfScale) });
  }
  return encodeManagedFields(owners);
}

/** The managedFields of an object after its Scale was written: owners of replicas are those that the Scale now has. */
export function fromScaleManagedFields(
  parent: unknown,
  scale: unknown,
  apiVersion: string,
  paths: ReplicasPaths,
): ManagedFieldsEntry[] {
  const owners = new Map<string, Ownership>();
  const scaleOwners = new Map(decodeManagedFields(scale));
  for (const [key, ownership] of decodeManagedFields(parent)) {
    if (!paths.has(ownership.apiVersion)) continue;
    const path = paths.get(ownership.apiVersion);
    const keepsReplicas = !path || !ownership.fields.has(path) || scaleOwners.delete(key);
    const fields = keepsReplicas ? ownership.fields : ownership.fields.difference(FieldSet.of(path));
    if (!fields.isEmpty) owners.set(key, { ...ownership, fields });
  }
  const path = paths.get(apiVersion);
  for (const [key, { identity, fields }] of scaleOwners) {
    // The API server does not carry over the time of an owner that comes from the Scale.
    if (path && fields.has(replicasOfScale)) owners.set(key, { identity, apiVersion, fields: FieldSet.of(path) });
  }
  return encodeManagedFields(owners);
}
