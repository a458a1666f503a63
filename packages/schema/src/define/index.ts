// A kind as one schema: its TypeScript type, its CustomResourceDefinition and its validator come from it.

export { conditions, plainConditions } from './conditions.ts';
export {
  type ConversionClient,
  type ConversionWebhook,
  type CustomResourceDefinition,
  type CustomResourceDefinitionVersion,
  customResourceDefinitionResource,
  structuralSchemaOf,
  toCustomResourceDefinition,
  toCustomResourceDefinitions,
} from './crd.ts';
export {
  ageColumn,
  conditionColumn,
  defineKind,
  type KindDefinition,
  type PrinterColumn,
  type Resource,
  rootOf,
} from './define-kind.ts';
export { labelSelector, selectorRequirement } from './label-selector.ts';
export {
  anyObject,
  atomicListOf,
  bool,
  bytes,
  type Constraints,
  embeddedResource,
  int32,
  int64,
  integer,
  intOrString,
  listByKey,
  listOf,
  mapOf,
  nullableTimestamp,
  object,
  oneOf,
  optional,
  quantity,
  text,
  timestamp,
} from './shapes.ts';
export { toValidatedKind } from './validated-kind.ts';
