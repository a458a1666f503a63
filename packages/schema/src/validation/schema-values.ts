import { RegexBudgetError } from '@flotilla/rules/regex';
import {
  canonicalText,
  deepEqual,
  formatError,
  isEnforced,
  isRecord,
  type Json,
  type JsonObject,
} from '@flotilla/rules/values';
import { correlatedField, correlatedItems } from './correlation.ts';
import {
  breaksAnonymously,
  breaksSchema,
  child,
  type FieldError,
  formatInvalid,
  index,
  invalid,
  maxErrors,
  notSupported,
  required,
  sizeOf,
  tooLong,
  tooMany,
  typeInvalid,
} from './field-error.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** What the checks of one schema share. */
export interface ValueContext {
  /** Whether a text matches a pattern. Throws `RegexBudgetError` when the patterns of an object take too long. */
  matches(pattern: string, text: string): boolean;
}

const INT32_MAX = 2 ** 31 - 1;
const FLOAT32_MAX = 3.4028234663852886e38;

/** Whether a value is an integer of 64 bits; those that a number cannot hold are read as bigints. */
const isInt64 = (value: Json): boolean =>
  typeof value === 'bigint' ||
  (typeof value === 'number' && Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63);

const isOfType = (value: Json, type: string): boolean => {
  switch (type) {
    case 'object':
      return isRecord(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return isInt64(value);
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint';
    default:
      return typeof value === type;
  }
};

const expectedTypes = (schema: StructuralSchema): string[] => {
  if (schema['x-kubernetes-int-or-string']) return ['integer', 'string'];
  return schema.type ? [schema.type] : [];
};

/** The server does not check the type of a list that stands for a string with a format. */
const isUncheckedList = (value: Json, { type, format }: StructuralSchema): boolean =>
  Array.isArray(value) && type === 'string' && format !== undefined && isEnforced(format);

/** Characters as the server counts them: code points, not UTF-16 units. */
const runeCount = (text: string): number => {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
};

/** The letters of a text that are shown when it is too long to be matched. */
const maxShown = 100;

const patternErrors = (value: string, pattern: string, path: string, context: ValueContext): FieldError[] => {
  try {
    if (context.matches(pattern, value)) return [];
    return [breaksSchema(path, value, `must match ${pattern}`, `should match '${pattern}'`)];
  } catch (error) {
    if (!(error instanceof RegexBudgetError)) throw error;
    // In the words that the server has for rules.
    const why = `validation failed due to running out of cost budget: ${error.message}, the last of them ${pattern}`;
    return [invalid(path, `${value.slice(0, maxShown)}…`, why, why)];
  }
};

/** Like the server, names only the first broken bound of a string, then its format. */
const stringErrors = (value: string, schema: StructuralSchema, path: string, context: ValueContext): FieldError[] => {
  const errors: FieldError[] = [];
  const { minLength, maxLength, pattern, format } = schema;
  if (maxLength !== undefined && runeCount(value) > maxLength) {
    errors.push(tooLong(path, value, maxLength, 'characters'));
  } else if (minLength !== undefined && runeCount(value) < minLength) {
    errors.push(
      breaksSchema(
        path,
        value,
        `must have at least ${minLength} ${minLength === 1 ? 'character' : 'characters'}`,
        `should be at least ${minLength} chars long`,
      ),
    );
  } else if (pattern !== undefined) errors.push(...patternErrors(value, pattern, path, context));
  const message = format === undefined ? undefined : formatError(format, value);
  if (format !== undefined && message) errors.push(formatInvalid(path, value, `must be ${message}`, format));
  return errors;
};

const outOfRange = (value: number | bigint, schema: StructuralSchema): boolean =>
  (schema.type === 'integer' && schema.format === 'int32' && (value > INT32_MAX || value < -INT32_MAX - 1)) ||
  (schema.type === 'number' && schema.format === 'float' && Math.abs(Number(value)) > FLOAT32_MAX);

const isMultiple = (value: number | bigint, factor: number): boolean =>
  typeof value === 'bigint' && Number.isInteger(factor)
    ? value % BigInt(factor) === 0n
    : Number.isInteger(Number(value) / factor);

const numberErrors = (value: number | bigint, schema: StructuralSchema, path: string): FieldError[] => {
  const errors: FieldError[] = [];
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (outOfRange(value, schema)) {
    const detail = `Checked value must be of type ${schema.type} with format ${schema.format} in ${path}`;
    errors.push(breaksAnonymously(path, value, `must fit into ${schema.format}`, detail));
  }
  if (multipleOf !== undefined && !isMultiple(value, multipleOf)) {
    errors.push(
      breaksSchema(path, value, `must be a multiple of ${multipleOf}`, `should be a multiple of ${multipleOf}`),
    );
  }
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)) {
    const says = `should be greater than ${exclusiveMinimum ? '' : 'or equal to '}${minimum}`;
    errors.push(
      breaksSchema(path, value, `must be ${exclusiveMinimum ? 'greater than' : 'at least'} ${minimum}`, says),
    );
  }
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum)) {
    const says = `should be less than ${exclusiveMaximum ? '' : 'or equal to '}${maximum}`;
    errors.push(breaksSchema(path, value, `must be ${exclusiveMaximum ? 'less than' : 'at most'} ${maximum}`, says));
  }
  return errors;
};

const listErrors = (
  value: Json[],
  old: Json | undefined,
  schema: StructuralSchema,
  path: string,
  context: ValueContext,
): FieldError[] => {
  const { items, minItems, maxItems, uniqueItems } = schema;
  const oldItems = correlatedItems(value, old, schema);
  const errors: FieldError[] = [];
  for (const [at, item] of value.entries()) {
    if (!items || errors.length >= maxErrors) break;
    errors.push(...validateValue(item, oldItems[at], items, index(path, at), context));
  }
  if (minItems !== undefined && value.length < minItems) {
    const message = `must have at least ${minItems} ${minItems === 1 ? 'item' : 'items'}`;
    errors.push(breaksSchema(path, value, message, `should have at least ${minItems} items`, value.length));
  }
  if (maxItems !== undefined && value.length > maxItems) errors.push(tooMany(path, value, maxItems, 'items'));
  if (uniqueItems && new Set(value.map(canonicalText)).size < value.length) {
    errors.push(breaksSchema(path, value, 'must not repeat an item', "shouldn't contain duplicates", ''));
  }
  return errors;
};

const objectErrors = (
  value: JsonObject,
  old: Json | undefined,
  schema: StructuralSchema,
  path: string,
  context: ValueContext,
): FieldError[] => {
  const { minProperties, maxProperties, properties = {}, additionalProperties } = schema;
  const errors: FieldError[] = [];
  const count = Object.keys(value).length;
  if (minProperties !== undefined && count < minProperties) {
    const says = `should have at least ${minProperties} properties`;
    errors.push(breaksSchema(path, value, `must have at least ${minProperties} fields`, says, sizeOf(value)));
  }
  if (maxProperties !== undefined && count > maxProperties) errors.push(tooMany(path, value, maxProperties, 'fields'));
  for (const [key, field] of Object.entries(value)) {
    if (errors.length >= maxErrors) break;
    const known = Object.hasOwn(properties, key) ? properties[key] : undefined;
    const of = known ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
    if (of) errors.push(...validateValue(field, correlatedField(old, key), of, child(path, key), context));
    else if (additionalProperties === false) {
      const at = child(path, key);
      const error = breaksSchema(at, field, 'is not a known field: remove it', 'is a forbidden property', key);
      errors.push({ ...error, cause: { ...error.cause, field: path } });
    }
  }
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(value, name)) errors.push(required(child(path, name)));
  }
  return errors;
};

/** allOf, anyOf, oneOf and not. What the branches say is folded into one error. */
const compositionErrors = (
  value: Json,
  schema: StructuralSchema,
  path: string,
  context: ValueContext,
): FieldError[] => {
  const fails = (branch: StructuralSchema) => validateValue(value, undefined, branch, path, context).length > 0;
  const { allOf = [], anyOf, oneOf, not } = schema;
  const errors = allOf.flatMap((branch) => validateValue(value, undefined, branch, path, context));
  const broken = (message: string, detail: string) =>
    errors.push(breaksAnonymously(path, value, message, `${JSON.stringify(path)} ${detail}`));
  if (anyOf?.every(fails)) {
    broken('must match at least one of the alternatives in anyOf', 'must validate at least one schema (anyOf)');
  }
  const matching = (oneOf ?? []).filter((branch) => !fails(branch)).length;
  if (oneOf && matching !== 1) {
    const found = matching === 0 ? 'Found none valid' : `Found ${matching} valid alternatives`;
    broken(
      'must match exactly one of the alternatives in oneOf',
      `must validate one and only one schema (oneOf). ${found}`,
    );
  }
  if (not && !fails(not)) {
    broken('must not match what the schema excludes by not', 'must not validate the schema (not)');
  }
  return errors;
};

/**
 * Checks a value against a structural schema as the API server does.
 * A value that equals its old one is left alone: the server accepts what was already stored.
 */
export const validateValue = (
  value: Json,
  old: Json | undefined,
  schema: StructuralSchema,
  path: string,
  context: ValueContext,
): FieldError[] => {
  if (old !== undefined && deepEqual(value, old)) return [];
  const types = expectedTypes(schema);
  const enumErrors = (): FieldError[] =>
    schema.enum && !schema.enum.some((each) => each !== null && deepEqual(each, value))
      ? [notSupported(path, value, schema.enum)]
      : [];
  if (value === null) {
    if (types.length > 0 && !schema.nullable) return [typeInvalid(path, value, types), ...enumErrors()];
    return enumErrors();
  }
  if (types.length > 0 && !types.some((type) => isOfType(value, type)) && !isUncheckedList(value, schema)) {
    return [typeInvalid(path, value, types), ...enumErrors()];
  }
  const errors = compositionErrors(value, schema, path, context);
  if (typeof value === 'string') errors.push(...stringErrors(value, schema, path, context));
  else if (typeof value === 'number' || typeof value === 'bigint') errors.push(...numberErrors(value, schema, path));
  else if (Array.isArray(value)) errors.push(...listErrors(value, old, schema, path, context));
  else if (isRecord(value)) errors.push(...objectErrors(value, old, schema, path, context));
  return [...errors, ...enumErrors()];
};
