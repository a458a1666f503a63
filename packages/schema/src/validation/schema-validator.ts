import { compileRegex, RegexBudget } from '@flotilla/rules/regex';
import { isRecord, type JsonObject, toWire } from '@flotilla/rules/values';
import { createRuleBudget, createRuleSource, validateRules, validateRulesApart } from './cel-rules.ts';
import { applyDefaultsInPlace } from './defaults.ts';
import { validateEmbeddedResources } from './embedded-resources.ts';
import { type FieldError, type FieldErrorReason, firstErrors, invalid, maxErrors } from './field-error.ts';
import { validateListTypes } from './list-types.ts';
import { validateObjectMeta } from './object-meta.ts';
import { pruneInPlace } from './prune.ts';
import { type ValueContext, validateValue } from './schema-values.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** What validation needs to know of a kind. */
export interface ValidatedKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** The structural schema of the whole object. */
  readonly schema: StructuralSchema;
}

/** The result of pruning, defaulting and validating an object. */
export interface ValidationResult {
  /** The object as it would be stored: unknown fields removed, defaults set. */
  readonly object: JsonObject;
  /** Why it is refused; empty if it is accepted. */
  readonly errors: readonly FieldError[];
  /** Paths of the fields that were removed. Not an error, unless the client asks for strict field validation. */
  readonly unknownFields: readonly string[];
}

/** Prunes, defaults and validates the objects of one kind as the API server does. Inputs are never changed. */
export interface SchemaValidator {
  /** All three steps. With `old`, checks an update: what did not change is not refused. */
  check(object: unknown, old?: unknown): ValidationResult;
  /** The object without fields that the schema does not know. */
  prune(object: unknown): JsonObject;
  /** The same, with the paths of the fields that were removed. */
  pruneUnknown(object: unknown): { readonly object: JsonObject; readonly unknownFields: readonly string[] };
  /** The object with defaults set. */
  applyDefaults(object: unknown): JsonObject;
  /** Why the schema refuses the object, which is taken as it is; metadata is left to the caller. */
  validateContent(object: unknown, old?: unknown): readonly FieldError[];
  /**
   * The same without blocking the event loop, whatever the rules of the schema cost. Rejects with `RuleTaskError` when there is no answer,
   * which says nothing about the object.
   */
  validateContentApart(object: unknown, old?: unknown, options?: ValidateApartOptions): Promise<readonly FieldError[]>;
}

/** Options of a validation that does not block the event loop. */
export interface ValidateApartOptions {
  /** Shared by several objects; by default each has its own. */
  readonly budget?: ValidationBudget;
  /** The user whose object it is. Rules of different owners are evaluated in turn. */
  readonly owner?: string | undefined;
}

/** What the patterns and rules that are checked for an object may cost. */
export interface ValidationBudget {
  readonly patterns: RegexBudget;
  readonly rules: ReturnType<typeof createRuleBudget>;
}

/** A budget with what the API server lets the rules of one object cost. */
export const createValidationBudget = (): ValidationBudget => ({
  patterns: new RegexBudget(),
  rules: createRuleBudget(),
});

/** Kinds of errors after which the server does not run CEL rules: the rules could not rely on the types. */
const BLOCKING: ReadonlySet<FieldErrorReason> = new Set<FieldErrorReason>([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

const typeErrors = (object: JsonObject, kind: ValidatedKind): FieldError[] =>
  (['apiVersion', 'kind'] as const).flatMap((field) =>
    object[field] === kind[field] ? [] : [invalid(field, object[field] ?? null, `must be ${kind[field]}`)],
  );

/** The patterns of one object have one budget. */
const createContext = (budget = new RegexBudget()): ValueContext => ({
  matches: (pattern, text) => compileRegex(pattern).test(text, budget),
});

/** Checks all but the metadata of objects. Errors that were found before come first, and may keep rules from being run. */
interface ContentCheck {
  check(object: JsonObject, old?: JsonObject, before?: FieldError[], context?: ValueContext): FieldError[];
  checkApart(object: JsonObject, old?: JsonObject, options?: ValidateApartOptions): Promise<FieldError[]>;
}

const createContentCheck = (schema: StructuralSchema): ContentCheck => {
  const rulesOf = createRuleSource();

  const valueErrors = (object: JsonObject, old: JsonObject | undefined, context: ValueContext): FieldError[] => {
    return [
      ...validateValue(object, old, schema, '', context),
      ...validateEmbeddedResources(object, schema, '', context),
      ...(!old || validateListTypes(old, schema, '').length === 0 ? validateListTypes(object, schema, '') : []),
    ];
  };
  // Of all errors: one that is not reported blocks, too. Above the limit not all are found, and what rules say has no room.
  const mayRunRules = (errors: readonly FieldError[]): boolean =>
    errors.length < maxErrors && !errors.some(({ reason }) => BLOCKING.has(reason));

  return {
    check(object, old, before = [], context = createContext()) {
      const errors = [...before, ...valueErrors(object, old, context)];
      const broken = mayRunRules(errors) ? validateRules({ value: object, old, schema, rulesOf }) : [];
      return firstErrors([...errors, ...broken]);
    },
    async checkApart(object, old, { budget = createValidationBudget(), owner = '' } = {}) {
      const errors = valueErrors(object, old, createContext(budget.patterns));
      if (!mayRunRules(errors)) return firstErrors(errors);
      const broken = await validateRulesApart({ value: object, old, schema, rulesOf }, budget.rules, owner);
      return firstErrors([...errors, ...broken]);
    },
  };
};

/** Makes the validator of a kind. Patterns and rules are compiled when they are first needed. */
export const createSchemaValidator = (kind: ValidatedKind): SchemaValidator => {
  const { schema } = kind;
  const content = createContentCheck(schema);

  /** A copy to work on. A client library fills in apiVersion and kind, so they may be left out. */
  const copyOf = (value: unknown): JsonObject | undefined => {
    const copy = toWire(value);
    return isRecord(copy) ? { apiVersion: kind.apiVersion, kind: kind.kind, ...copy } : undefined;
  };

  return {
    check(value, oldValue) {
      const object = copyOf(value);
      if (!object) return { object: {}, errors: [invalid('', toWire(value), 'must be an object')], unknownFields: [] };
      const unknownFields = pruneInPlace(object, schema);
      applyDefaultsInPlace(object, schema);
      const strange = typeErrors(object, kind);
      if (strange.length > 0) return { object, errors: strange, unknownFields };
      const rules = { name: 'dns-subdomain', namespaced: kind.namespaced } as const;
      const context = createContext();
      const metadata = validateObjectMeta(object.metadata ?? null, 'metadata', rules, context);
      return { object, errors: content.check(object, copyOf(oldValue), metadata, context), unknownFields };
    },
    prune(value) {
      const object = copyOf(value) ?? {};
      pruneInPlace(object, schema);
      return object;
    },
    pruneUnknown(value) {
      const object = copyOf(value) ?? {};
      return { object, unknownFields: pruneInPlace(object, schema) };
    },
    applyDefaults(value) {
      const object = copyOf(value) ?? {};
      applyDefaultsInPlace(object, schema);
      return object;
    },
    validateContent: (value, oldValue) => content.check(copyOf(value) ?? {}, copyOf(oldValue)),
    validateContentApart: (value, oldValue, options) =>
      content.checkApart(copyOf(value) ?? {}, copyOf(oldValue), options),
  };
};
