import { type Json, stringifyJson } from '@flotilla/rules/values';

/** Why a field is refused: the cause reasons of Kubernetes' Status. */
export type FieldErrorReason =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueTypeInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueDuplicate'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany';

/** One error of an object, with its path. */
export interface FieldError {
  /** Path in Kubernetes' form, such as `spec.clusterSets[0]`; empty for the object itself. */
  readonly field: string;
  readonly reason: FieldErrorReason;
  /** The value that was refused; absent when the field is missing. */
  readonly value?: Json;
  /** What is expected instead. */
  readonly message: string;
  /** The cause in the Status of the API server; the field is `<nil>` where it names none. */
  readonly cause: { readonly field: string; readonly message: string };
}

/** Maximum number of errors reported for one object: an answer that names each of a million wrong items would take hundreds of megabytes. */
export const maxErrors = 1000;
/** Letters of their paths and messages: a path has all keys on its way, each of which may be as long as the object. */
const maxLetters = 1024 * 1024;

/** The first errors of an object, up to the limits. */
export function firstErrors(errors: readonly FieldError[]): FieldError[] {
  let letters = 0;
  const end = errors.findIndex(({ field, message, cause }, at) => {
    const isFull = at >= maxErrors || letters > maxLetters;
    letters += field.length + message.length + cause.field.length + cause.message.length;
    return isFull;
  });
  return errors.slice(0, end < 0 ? errors.length : end);
}

/** A value as the API server shows it. */
const shown = (value: Json): string => stringifyJson(value);

/** A field as the sentences of the server's schema validator name it. */
const inBody = (field: string, says: string): string => `${field} in body ${says}`;

/** Path of a named field. */
export const child = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** Path of an item of a list. */
export const index = (path: string, at: number): string => `${path}[${at}]`;

/** The field is missing. */
export const required = (field: string, message = 'is required: add this field', detail = ''): FieldError => ({
  field,
  reason: 'FieldValueRequired',
  message,
  cause: { field, message: detail === '' ? 'Required value' : `Required value: ${detail}` },
});

/** `detail` is the server's wording, if it is another one. */
export const invalid = (field: string, value: Json, message: string, detail = message): FieldError => ({
  field,
  reason: 'FieldValueInvalid',
  value,
  message,
  cause: { field, message: `Invalid value: ${shown(value)}: ${detail}` },
});

/** A value that breaks a rule of the schema; `says` ends the server's sentence about it. */
export const breaksSchema = (
  field: string,
  value: Json,
  message: string,
  says: string,
  shownValue = value,
): FieldError => ({
  ...invalid(field, value, message),
  cause: { field, message: `Invalid value: ${shown(shownValue)}: ${inBody(field, says)}` },
});

/** A value that breaks a rule which the server reports without a field. */
export const breaksAnonymously = (field: string, value: Json, message: string, detail: string): FieldError => ({
  ...invalid(field, value, message),
  cause: { field: '<nil>', message: `Invalid value: "": ${detail}` },
});

const typeOf = (value: Json): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'bigint') return 'integer';
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
};

/** The value has another type. */
export const typeInvalid = (field: string, value: Json, expected: readonly string[]): FieldError => ({
  field,
  reason: 'FieldValueTypeInvalid',
  value,
  message: `must be ${expected.join(' or ')}, not ${value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value}`,
  cause: {
    field,
    message: `Invalid value: "${typeOf(value)}": ${inBody(field, `must be of type ${expected.join(',')}: "${typeOf(value)}"`)}`,
  },
});

/** A string that is not of its format: to the server, a value of the wrong type. */
export const formatInvalid = (field: string, value: string, message: string, format: string): FieldError => ({
  ...breaksSchema(field, value, message, `must be of type ${format}: ${shown(value)}`),
  reason: 'FieldValueTypeInvalid',
});

/** The value is none of a closed set. */
export const notSupported = (field: string, value: Json, values: readonly Json[]): FieldError => {
  const names = values.map((each) => stringifyJson(typeof each === 'string' ? each : stringifyJson(each)));
  return {
    field,
    reason: 'FieldValueNotSupported',
    value,
    message: `must be one of ${values.map((each) => stringifyJson(each)).join(', ')}`,
    cause: { field, message: `Unsupported value: ${shown(value)}: supported values: ${names.join(', ')}` },
  };
};

const counted = (limit: number, noun: string): string => `${limit} ${noun}${limit === 1 ? '' : 's'}`;

/** The value is too long. */
export const tooLong = (field: string, value: Json, limit: number, unit: string): FieldError => ({
  field,
  reason: 'FieldValueTooLong',
  value,
  message: `may not be longer than ${limit} ${unit}`,
  cause: { field, message: `Too long: may not be more than ${counted(limit, 'byte')}` },
});

/** The value has too many items or fields. */
export const tooMany = (field: string, value: Json, limit: number, what: string): FieldError => ({
  field,
  reason: 'FieldValueTooMany',
  value,
  message: `may not have more than ${limit} ${what}`,
  cause: { field, message: `Too many: ${sizeOf(value)}: must have at most ${counted(limit, 'item')}` },
});

/** Items of a list, or fields of an object. */
export const sizeOf = (value: Json): number =>
  typeof value === 'object' && value !== null ? Object.keys(value).length : 0;

/** The item repeats another one. */
export const duplicate = (field: string, value: Json): FieldError => ({
  field,
  reason: 'FieldValueDuplicate',
  value,
  message: 'repeats an earlier item of the list: remove one of them',
  cause: { field, message: `Duplicate value: ${shown(value)}` },
});

/** The field may not be set. */
export const forbidden = (field: string, value: Json, message: string, detail = message): FieldError => ({
  field,
  reason: 'FieldValueForbidden',
  value,
  message,
  cause: { field, message: `Forbidden: ${detail}` },
});

/** The errors as lines of text: path, value and what is expected. */
export const describeFieldErrors = (errors: readonly FieldError[]): string =>
  errors
    .map(({ field, value, message }) => {
      const given = value === undefined || typeof value === 'object' ? '' : `${stringifyJson(value)} `;
      return `${field === '' ? 'object' : field}: ${given}${message}`;
    })
    .join('\n');
