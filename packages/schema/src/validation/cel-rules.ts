import { type Cel, CelCostError, type CelProgram, CostBudget, celOptional, createCel } from '@flotilla/rules/cel';
import { RuleMemoryError, RuleTaskError, ruleRunner } from '@flotilla/rules/runner';
import { deepEqual, isRecord, type Json, stringifyJson } from '@flotilla/rules/values';
import { toCelValue } from './cel-values.ts';
import { correlatedField, correlatedItems } from './correlation.ts';
import { child, type FieldError, type FieldErrorReason, index, invalid, maxErrors } from './field-error.ts';
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
  createCel({
    variables: { self: 'dyn', oldSelf },
    lateChecks: true,
    isTyped: true,
    // Another thread does not know optional values.
    ...(oldSelf !== 'dyn' && { register: () => {} }),
  });

/** What the API server lets the rules of one object cost. */
const limits = { perExpression: 1_000_000, inAll: 10_000_000 };

export const createRuleBudget = (): CostBudget => new CostBudget(limits);

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

/** Whether the thread of an expression gave no answer, which says nothing about the object. */
const isNoAnswer = (error: unknown): boolean => error instanceof RuleTaskError && !(error instanceof RuleMemoryError);

/** An expression to evaluate. What evaluates it sends the value, or throws the error. */
interface Evaluation {
  readonly program: CelProgram;
  readonly variables: Record<string, unknown>;
}

function* messageOf(
  compiled: CompiledRule,
  variables: Record<string, unknown>,
): Generator<Evaluation, string, unknown> {
  const { message } = compiled;
  if (message) {
    try {
      const text = yield { program: message, variables };
      if (typeof text === 'string' && text.trim() !== '') return text;
    } catch (error) {
      if (isNoAnswer(error)) throw error;
      // The server, too, falls back to the fixed message when the expression fails.
    }
  }
  return compiled.rule.message ?? `must satisfy ${compiled.rule.rule}`;
}

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

/** A rule that applies to a part of an object. */
interface ApplicableRule {
  readonly compiled: CompiledRule;
  readonly variables: Record<string, unknown>;
  readonly value: Json;
  readonly path: string;
}

const failedRule = (path: string, value: Json, message: string, detail: string): FieldError => ({
  ...invalid(path, value, message),
  cause: { field: shownField(path), message: `Invalid value: ${JSON.stringify(typeName(value))}: ${detail}` },
});

const costError = ({ exceeded, message }: CelCostError, rule: ValidationRule): string =>
  exceeded === 'budget'
    ? 'validation failed due to running out of cost budget, no further validation rules will be run'
    : `'${message}': no further validation rules will be run due to call cost exceeds limit for rule: ${rule.message ?? rule.rule}`;

/** What comes of a rule. */
interface RuleOutcome {
  readonly error?: FieldError;
  /** Set when the rules have cost all they may: no further ones are run. */
  readonly isOver?: boolean;
}

function* runRule({ compiled, variables, value, path }: ApplicableRule): Generator<Evaluation, RuleOutcome, unknown> {
  const { rule, program, compileError } = compiled;
  if (!program) {
    const why = `cannot be checked, since this rule does not compile: ${rule.rule}: ${compileError}`;
    return { error: invalid(path, value, why) };
  }
  try {
    if ((yield { program, variables }) === true) return {};
  } catch (error) {
    if (error instanceof CelCostError) {
      const detail = costError(error, rule);
      return { error: failedRule(path, value, detail, detail), isOver: true };
    }
    if (isNoAnswer(error)) throw error;
    const why = error instanceof Error ? error.message : String(error);
    const detail = `${why} evaluating rule: ${rule.message ?? rule.rule}`;
    return { error: failedRule(path, value, `fails the rule ${rule.rule}: ${why}`, detail) };
  }
  const field = rule.fieldPath ? child(path, rule.fieldPath.replace(/^\./, '')) : path;
  const reason = (rule.reason ?? 'FieldValueInvalid') as FieldErrorReason;
  const message = yield* messageOf(compiled, variables);
  const shownMessage = message === `must satisfy ${rule.rule}` ? `failed rule: ${rule.rule}` : message;
  const cause = { field: shownField(field), message: causeMessage(reason, value, shownMessage) };
  return { error: { ...invalid(field, value, message), reason, cause } };
}

/** The object itself has no name. */
const shownField = (field: string): string => (field === '' ? '<nil>' : field);

const typeName = (value: Json): string => (Array.isArray(value) ? 'array' : typeof value);

/** The rules of a schema that apply to a value. */
const ownRules = (
  value: Json,
  old: Json | undefined,
  schema: StructuralSchema,
  path: string,
  rulesOf: RuleSource,
): ApplicableRule[] => {
  if (value === null || !schema['x-kubernetes-validations']?.length) return [];
  const self = toCelValue(value, schema);
  const oldSelf = old === undefined || old === null ? undefined : toCelValue(old, schema);
  const unchanged = old !== undefined && deepEqual(value, old);
  return rulesOf(schema).flatMap((compiled) => {
    // A transition rule does not apply to a new value, nor any other rule to an unchanged one.
    if (compiled.usesOldSelf ? oldSelf === undefined && !compiled.rule.optionalOldSelf : unchanged) return [];
    const seen = compiled.rule.optionalOldSelf ? celOptional(oldSelf) : oldSelf;
    return [{ compiled, variables: { self, oldSelf: seen }, value, path }];
  });
};

/** Evaluates rules as long as they do not cost too much. */
function* errorsOf(rules: readonly ApplicableRule[]): Generator<Evaluation, FieldError[], unknown> {
  const errors: FieldError[] = [];
  for (const rule of rules) {
    const { error, isOver } = yield* runRule(rule);
    if (error) errors.push(error);
    if (isOver || errors.length >= maxErrors) break;
  }
  return errors;
}

/** What is validated, and where its rules are. */
interface RuleInput {
  readonly value: Json;
  readonly old: Json | undefined;
  readonly schema: StructuralSchema | undefined;
  readonly rulesOf: RuleSource;
}

/** Evaluates the CEL rules of a schema and of all its parts, at once: up to some seconds, which the limits of the server allow. */
export const validateRules = ({ value, old, schema, rulesOf }: RuleInput): FieldError[] => {
  const budget = createRuleBudget();
  const errors = errorsOf(rulesBelow(value, old, schema, '', rulesOf));
  let step = errors.next();
  while (!step.done) {
    const { program, variables } = step.value;
    let result: unknown;
    try {
      result = budget.spend((meter) => program.evaluate(variables, meter));
    } catch (error) {
      step = errors.throw(error);
      continue;
    }
    step = errors.next(result);
  }
  return step.value;
};

/** How long the rules of one object may wait for those of others. A client still waits for the answer then. */
const maxWaitMs = 20_000;

/** The same without blocking the event loop. Rejects with `RuleTaskError` when there is no answer. */
export const validateRulesApart = async (
  { value, old, schema, rulesOf }: RuleInput,
  budget: CostBudget,
  owner: string,
): Promise<FieldError[]> => {
  const caller = { owner, beginBy: performance.now() + maxWaitMs };
  const errors = errorsOf(rulesBelow(value, old, schema, '', rulesOf));
  let step = errors.next();
  while (!step.done) {
    const { program, variables } = step.value;
    let result: unknown;
    try {
      result = await ruleRunner.evaluate(program, variables, budget, caller);
    } catch (error) {
      step = errors.throw(error);
      continue;
    }
    step = errors.next(result);
  }
  return step.value;
};

const rulesBelow = (
  value: Json,
  old: Json | undefined,
  schema: StructuralSchema | undefined,
  path: string,
  rulesOf: RuleSource,
): ApplicableRule[] => {
  if (!schema) return [];
  const own = ownRules(value, old, schema, path, rulesOf);
  if (Array.isArray(value)) {
    const oldItems = correlatedItems(value, old, schema);
    return [
      ...own,
      ...value.flatMap((item, at) => rulesBelow(item, oldItems[at], schema.items, index(path, at), rulesOf)),
    ];
  }
  if (!isRecord(value)) return own;
  return [
    ...own,
    ...Object.entries(value).flatMap(([key, field]) => {
      const declared = schema.properties !== undefined && Object.hasOwn(schema.properties, key);
      const at = declared ? child(path, key) : `${path}[${key}]`;
      return rulesBelow(field, correlatedField(old, key), schemaOfField(schema, key), at, rulesOf);
    }),
  ];
};
