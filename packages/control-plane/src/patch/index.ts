export {
  type ApplyOptions,
  createFieldManager,
  type FieldManager,
  type FieldManagerOptions,
  type UpdateOptions,
} from './field-manager.ts';
export { type FieldPath, fieldPath } from './field-path.ts';
export { FieldSet } from './field-set.ts';
export { applyJsonPatch, maxJsonPatchOperations, unknownJsonPatchFields } from './json-patch.ts';
export { keepTimestamps } from './keep-timestamps.ts';
export { managedFieldsProblem } from './managed-fields.ts';
export { managerName } from './manager-name.ts';
export { applyMergePatch } from './merge-patch.ts';
export { deducedType, type ObjectTypeOptions, objectType, type ValueType } from './object-type.ts';
export type { ServedVersions, VersionFields } from './ownership.ts';
export { type Endpoint, resetFieldsOf } from './reset-fields.ts';
export { fromScaleManagedFields, type ReplicasPaths, toScaleManagedFields } from './scale-fields.ts';
export { applyStrategicMergePatch } from './strategic-merge.ts';
