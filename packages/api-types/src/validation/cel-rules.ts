import { Environment, Optional } from '@marcbachmann/cel-js';
import { toCelValue } from './cel-values.ts';
import { correlatedField, correlatedItems } from './correlation.ts';
import { child, type FieldError, type FieldErrorReason, index, invalid } from './field-error.ts';
import { deepEqual, isObject } from './json.ts';
import { schemaOfField } from './schema-walk.ts';
import type { Json, StructuralSchema, ValidationRule } from './structural-schema.ts';

type Program = (variables: Record<string, unknown>) => unknown;

/** A rule ready to run, or why it cannot run. */
interface CompiledRule {
  readonly rule: ValidationRule;
  readonly program?: Program;
  readonly message?: Program;
  readonly problem?: string;
  readonly usesOldSelf: boolean;
}

/** Finds the rules of a schema in compiled form. */
export type RuleSource = (schema: StructuralSchema) => readonly CompiledRule[];

const mentionsOldSelf = (node: unknown): boolean => {
  if (Array.isArray(node)) return node.some(mentionsOldSelf);
  if (typeof node !== 'object' || node === null || !('op' in node) || !('args' in node)) return false;
  return node.op === 'id' ? node.args === 'oldSelf' : mentionsOldSelf(node.args);
};

const compileRule = (environment: Environment, rule: ValidationRule): CompiledRule => {
  try {
    const program = environment.parse(rule.rule);
    const message = rule.messageExpression ? environment.parse(rule.messageExpression) : undefined;
    return { rule, program, usesOldSelf: mentionsOldSelf(program.ast), ...(message ? { message } : {}) };
  } catch (error) {
    return { rule, problem: error instanceof Error ? error.message : String(error), usesOldSelf: false };
  }
};

const createEnvironment = (): Environment =>
  new Environment({ unlistedVariablesAreDyn: true, homogeneousAggregateLiterals: false, enableOptionalTypes: true });

/** Compiles rules when they are first needed: most schemas have none, and an environment is expensive to make. */
export const createRuleSource = (): RuleSource => {
  const compiled = new Map<StructuralSchema, readonly CompiledRule[]>();
  let plain: Environment | undefined;
  let optional: Environment | undefined;
  const environmentFor = (rule: ValidationRule): Environment => {
    if (rule.optionalOldSelf) {
      optional ??= createEnvironment().registerVariable('oldSelf', 'optional<dyn>');
      return optional;
    }
    plain ??= createEnvironment();
    return plain;
  };
  return (schema) => {
    const known = compiled.get(schema);
    if (known) return known;
    const rules = (schema['x-kubernetes-validations'] ?? []).map((rule) => compileRule(environmentFor(rule), rule));
    compiled.set(schema, rules);
    return rules;
  };
};

/** What is to know of a rule before any object is there: why it does not compile, and whether it speaks of the old value. */
export const inspectRule = (rule: ValidationRule): { readonly problem?: string; readonly usesOldSelf: boolean } => {
  const [compiled] = createRuleSource()({ 'x-kubernetes-validations': [rule] });
  return {
    usesOldSelf: compiled?.usesOldSelf ?? false,
    ...(compiled?.problem !== undefined && { problem: compiled.problem }),
  };
};

const messageOf = (compiled: CompiledRule, variables: Record<string, unknown>): string => {
  if (compiled.message) {
    try {
      const text = compiled.message(variables);
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

/** How the server tells a broken rule: scalars are shown, unless the reason speaks for itself. */
const toldCause = (reason: string, value: Json, message: string): string => {
  const name = shownReasons[reason] ?? 'Invalid value';
  const withoutValue = typeof value === 'object' || reason === 'FieldValueRequired' || reason === 'FieldValueForbidden';
  if (reason === 'FieldValueDuplicate') return withoutValue ? name : `${name}: ${JSON.stringify(value)}`;
  return withoutValue ? `${name}: ${message}` : `${name}: ${JSON.stringify(value)}: ${message}`;
};

const runRule = (
  compiled: CompiledRule,
  variables: Record<string, unknown>,
  value: Json,
  path: string,
): FieldError | undefined => {
  const { rule, program, problem } = compiled;
  if (!program)
    return invalid(path, value, `cannot be checked, since this rule does not compile: ${rule.rule}: ${problem}`);
  try {
    if (program(variables) === true) return undefined;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const [first = ''] = why.split('\n');
    const detail = `${first.charAt(0).toLowerCase()}${first.slice(1)} evaluating rule: ${rule.message ?? rule.rule}`;
    return {
      ...invalid(path, value, `fails the rule ${rule.rule}: ${why}`),
      cause: { field: shownField(path), message: `Invalid value: ${JSON.stringify(typeName(value))}: ${detail}` },
    };
  }
  const field = rule.fieldPath ? child(path, rule.fieldPath.replace(/^\./, '')) : path;
  const reason = (rule.reason ?? 'FieldValueInvalid') as FieldErrorReason;
  const message = messageOf(compiled, variables);
  const told = message === `must satisfy ${rule.rule}` ? `failed rule: ${rule.rule}` : message;
  return {
    ...invalid(field, value, message),
    reason,
    cause: { field: shownField(field), message: toldCause(reason, value, told) },
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
  rulesOf: RuleSource,
): FieldError[] => {
  if (value === null || !schema['x-kubernetes-validations']?.length) return [];
  const self = toCelValue(value, schema);
  const oldSelf = old === undefined || old === null ? undefined : toCelValue(old, schema);
  const unchanged = old !== undefined && deepEqual(value, old);
  return rulesOf(schema).flatMap((compiled) => {
    // A rule about a change has nothing to say about a new value, nor any other rule about an unchanged one.
    if (compiled.usesOldSelf ? oldSelf === undefined && !compiled.rule.optionalOldSelf : unchanged) return [];
    const seen = compiled.rule.optionalOldSelf
      ? oldSelf === undefined
        ? Optional.none()
        : Optional.of(oldSelf)
      : oldSelf;
    const error = runRule(compiled, { self, oldSelf: seen }, value, path);
    return error ? [error] : [];
  });
};

/** Evaluates the CEL rules of a schema and of all its parts. */
export const validateRules = (
  value: Json,
  old: Json | undefined,
  schema: StructuralSchema | undefined,
  path: string,
  rulesOf: RuleSource,
): FieldError[] => {
  if (!schema) return [];
  const own = ownErrors(value, old, schema, path, rulesOf);
  if (Array.isArray(value)) {
    const oldItems = correlatedItems(value, old, schema);
    return [
      ...own,
      ...value.flatMap((item, at) => validateRules(item, oldItems[at], schema.items, index(path, at), rulesOf)),
    ];
  }
  if (!isObject(value)) return own;
  return [
    ...own,
    ...Object.entries(value).flatMap(([key, field]) => {
      const declared = schema.properties !== undefined && Object.hasOwn(schema.properties, key);
      const at = declared ? child(path, key) : `${path}[${key}]`;
      return validateRules(field, correlatedField(old, key), schemaOfField(schema, key), at, rulesOf);
    }),
  ];
};
