export {
  type ApplyOptions,
  createFieldManager,
  type FieldManager,
  type FieldManagerOptions,
  type UpdateOptions,
} from './field-manager.ts';
export { fieldPath } from './field-path.ts';
export { FieldSet } from './field-set.ts';
export { applyJsonPatch, maxJsonPatchOperations, unknownJsonPatchFields } from './json-patch.ts';
export { applyMergePatch } from './merge-patch.ts';
export { deducedType, type ObjectTypeOptions, objectType, type ValueType } from './object-type.ts';
export type { ServedVersions, VersionFields } from './ownership.ts';
export { applyStrategicMergePatch } from './strategic-merge.ts';
export { zeroObject } from './zero-object.ts';
