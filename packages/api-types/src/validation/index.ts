export type { Json, JsonObject, StructuralSchema, ValidationRule } from './structural-schema.ts';
