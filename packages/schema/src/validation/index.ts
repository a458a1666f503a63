export { createRuleInspector, type RuleInspector } from './cel-rules.ts';
export { describeFieldErrors, type FieldError, type FieldErrorReason } from './field-error.ts';
export {
  createSchemaValidator,
  createValidationBudget,
  type SchemaValidator,
  type ValidateApartOptions,
  type ValidatedKind,
  type ValidationResult,
} from './schema-validator.ts';
export type { StructuralSchema, ValidationRule } from './structural-schema.ts';
