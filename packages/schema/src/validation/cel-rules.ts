import { Optional } from '@marcbachmann/cel-js';
import { type Cel, type CelProgram, createCel } from '../cel/cel.ts';
import { CelCostError, CostBudget } from '../cel/cost.ts';
import { translatedRegex } from '../cel/regex.ts';
import { stringifyJson } from '../values/exact-json.ts';
import type { Json } from '../values/json.ts';
import { deepEqual, isRecord } from '../values/json.ts';
import { toCelValue } from './cel-values.ts';
import { correlatedField, correlatedItems } from './correlation.ts';
import { child, type FieldError, type FieldErrorReason, index, invalid } from './field-error.ts';
import { schemaOfField } from './schema-walk.ts';
import type { StructuralSchema, ValidationRule } from './structural-schema.ts';

/** A rule ready to run, or why it cannot run. */
interface CompiledRule {
  readonly rule: ValidationRule;
  readonly program?: CelProgram;
  readonly message?: CelProgram;
  readonly compileError?: string;
  readonly usesOldSelf: boolean;
}

/** Finds the rules of a schema in compiled form. */
export type RuleSource = (schema: StructuralSchema) => readonly CompiledRule[];

const compileRule = (cel: Cel, rule: ValidationRule): CompiledRule => {
  try {
    const program = cel.compile(rule.rule);
    const message = rule.messageExpression ? cel.compile(rule.messageExpression) : undefined;
    return { rule, program, usesOldSelf: program.mentions('oldSelf'), ...(message ? { message } : {}) };
  } catch (error) {
    return { rule, compileError: error instanceof Error ? error.message : String(error), usesOldSelf: false };
  }
};

const celWith = (oldSelf: string): Cel =>
  createCel({ variables: { self: 'dyn', oldSelf }, regex: translatedRegex, lateChecks: true });

/** What the API server lets the rules of one object cost. */
const limits = { perExpression: 1_000_000, inAll: 10_000_000 };

/** Compiles rules when they are first needed: most schemas have none, and an environment is expensive to make. */
export const createRuleSource = (): RuleSource => {
  const compiled = new Map<StructuralSchema, readonly CompiledRule[]>();
  let plain: Cel | undefined;
  let optional: Cel | undefined;
  const celFor = (rule: ValidationRule): Cel => {
    if (rule.optionalOldSelf) {
      optional ??= celWith('optional<dyn>');
      return optional;
    }
    plain ??= celWith('dyn');
    return plain;
  };
  return (schema) => {
    const known = compiled.get(schema);
    if (known) return known;
    const rules = (schema['x-kubernetes-validations'] ?? []).map((rule) => compileRule(celFor(rule), rule));
    compiled.set(schema, rules);
    return rules;
  };
};

/** What is known of a rule without an object: why it does not compile, and whether it uses the old value. */
export type RuleInspector = (rule: ValidationRule) => { readonly compileError?: string; readonly usesOldSelf: boolean };

/** Make one for all rules of a definition: an environment is expensive to make. */
export const createRuleInspector = (): RuleInspector => {
  const rulesOf = createRuleSource();
  return (rule) => {
    const [compiled] = rulesOf({ 'x-kubernetes-validations': [rule] });
    return {
      usesOldSelf: compiled?.usesOldSelf ?? false,
      ...(compiled?.compileError !== undefined && { compileError: compiled.compileError }),
    };
  };
};

const messageOf = (compiled: CompiledRule, variables: Record<string, unknown>, budget: CostBudget): string => {
  const { message } = compiled;
  if (message) {
    try {
      const text = budget.spend((meter) => message.evaluate(variables, meter));
      if (typeof text === 'string' && text.trim() !== '') return text;
    } catch {
      // The server, too, falls back to the fixed message when the expression fails.
    }
  }
  return compiled.rule.message ?? `must satisfy ${compiled.rule.rule}`;
};

const shownReasons: Readonly<Record<string, string>> = {
  FieldValueRequired: 'Required value',
  FieldValueForbidden: 'Forbidden',
  FieldValueDuplicate: 'Duplicate value',
};

/** The server's message for a failed rule: scalars are shown, except for reasons that need no value. */
const causeMessage = (reason: string, value: Json, message: string): string => {
  const name = shownReasons[reason] ?? 'Invalid value';
  const withoutValue = typeof value === 'object' || reason === 'FieldValueRequired' || reason === 'FieldValueForbidden';
  if (reason === 'FieldValueDuplicate') return withoutValue ? name : `${name}: ${stringifyJson(value)}`;
  return withoutValue ? `${name}: ${message}` : `${name}: ${stringifyJson(value)}: ${message}`;
};

/** One evaluation of all rules of an object. */
interface RuleRun {
  readonly rulesOf: RuleSource;
  readonly budget: CostBudget;
  /** Set when the rules have cost all they may: no further ones are run. */
  isOver: boolean;
}

const failedRule = (path: string, value: Json, message: string, detail: string): FieldError => ({
  ...invalid(path, value, message),
  cause: { field: shownField(path), message: `Invalid value: ${JSON.stringify(typeName(value))}: ${detail}` },
});

const costError = ({ exceeded, message }: CelCostError, rule: ValidationRule): string =>
  exceeded === 'budget'
    ? 'validation failed due to running out of cost budget, no further validation rules will be run'
    : `'${message}': no further validation rules will be run due to call cost exceeds limit for rule: ${rule.message ?? rule.rule}`;

const runRule = (
  compiled: CompiledRule,
  variables: Record<string, unknown>,
  value: Json,
  path: string,
  run: RuleRun,
): FieldError | undefined => {
  const { rule, program, compileError } = compiled;
  if (!program)
    return invalid(path, value, `cannot be checked, since this rule does not compile: ${rule.rule}: ${compileError}`);
  try {
    if (run.budget.spend((meter) => program.evaluate(variables, meter)) === true) return undefined;
  } catch (error) {
    if (error instanceof CelCostError) {
      run.isOver = true;
      const detail = costError(error, rule);
      return failedRule(path, value, detail, detail);
    }
    const why = error instanceof Error ? error.message : String(error);
    const detail = `${why} evaluating rule: ${rule.message ?? rule.rule}`;
    return failedRule(path, value, `fails the rule ${rule.rule}: ${why}`, detail);
  }
  const field = rule.fieldPath ? child(path, rule.fieldPath.replace(/^\./, '')) : path;
  const reason = (rule.reason ?? 'FieldValueInvalid') as FieldErrorReason;
  const message = messageOf(compiled, variables, run.budget);
  const shownMessage = message === `must satisfy ${rule.rule}` ? `failed rule: ${rule.rule}` : message;
  return {
    ...invalid(field, value, message),
    reason,
    cause: { field: shownField(field), message: causeMessage(reason, value, shownMessage) },
  };
};

/** The object itself has no name. */
const shownField = (field: string): string => (field === '' ? '<nil>' : field);

const typeName = (value: Json): string => (Array.isArray(value) ? 'array' : typeof value);

const ownErrors = (
  value: Json,
  old: Json | undefined,
  schema: StructuralSchema,
  path: string,
  run: RuleRun,
): FieldError[] => {
  if (value === null || !schema['x-kubernetes-validations']?.length) return [];
  const self = toCelValue(value, schema);
  const oldSelf = old === undefined || old === null ? undefined : toCelValue(old, schema);
  const unchanged = old !== undefined && deepEqual(value, old);
  return run.rulesOf(schema).flatMap((compiled) => {
    if (run.isOver) return [];
    // A transition rule does not apply to a new value, nor any other rule to an unchanged one.
    if (compiled.usesOldSelf ? oldSelf === undefined && !compiled.rule.optionalOldSelf : unchanged) return [];
    const seen = compiled.rule.optionalOldSelf
      ? oldSelf === undefined
        ? Optional.none()
        : Optional.of(oldSelf)
      : oldSelf;
    const error = runRule(compiled, { self, oldSelf: seen }, value, path, run);
    return error ? [error] : [];
  });
};

/** Evaluates the CEL rules of a schema and of all its parts, as long as they do not cost too much. */
export const validateRules = (
  value: Json,
  old: Json | undefined,
  schema: StructuralSchema | undefined,
  rulesOf: RuleSource,
): FieldError[] => errorsBelow(value, old, schema, '', { rulesOf, budget: new CostBudget(limits), isOver: false });

const errorsBelow = (
  value: Json,
  old: Json | undefined,
  schema: StructuralSchema | undefined,
  path: string,
  run: RuleRun,
): FieldError[] => {
  if (!schema) return [];
  const own = ownErrors(value, old, schema, path, run);
  if (Array.isArray(value)) {
    const oldItems = correlatedItems(value, old, schema);
    return [
      ...own,
      ...value.flatMap((item, at) => errorsBelow(item, oldItems[at], schema.items, index(path, at), run)),
    ];
  }
  if (!isRecord(value)) return own;
  return [
    ...own,
    ...Object.entries(value).flatMap(([key, field]) => {
      const declared = schema.properties !== undefined && Object.hasOwn(schema.properties, key);
      const at = declared ? child(path, key) : `${path}[${key}]`;
      return errorsBelow(field, correlatedField(old, key), schemaOfField(schema, key), at, run);
    }),
  ];
};
