export { createRuleInspector, type RuleInspector } from './cel-rules.ts';
export { describeFieldErrors, type FieldError, type FieldErrorReason } from './field-error.ts';
export { compileGoRegExp } from './go-regexp.ts';
export { canonicalQuantity, compareQuantities, parseQuantity } from './quantity.ts';
export { createSchemaValidator, type Judgement, type SchemaValidator, type ValidatedKind } from './schema-validator.ts';
export type { Json, JsonObject, StructuralSchema, ValidationRule } from './structural-schema.ts';
