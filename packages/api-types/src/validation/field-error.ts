import type { Json } from './structural-schema.ts';

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

/** One thing that is wrong with an object, and where. */
export interface FieldError {
  /** Path in Kubernetes' form, such as `spec.clusterSets[0]`; empty for the object itself. */
  readonly field: string;
  readonly reason: FieldErrorReason;
  /** The value that was refused; absent when the field is missing. */
  readonly value?: Json;
  /** What is expected instead. */
  readonly message: string;
}

/** Path of a named field. */
export const child = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** Path of an item of a list. */
export const index = (path: string, at: number): string => `${path}[${at}]`;

export const required = (field: string, message = 'is required: add this field'): FieldError => ({
  field,
  reason: 'FieldValueRequired',
  message,
});

export const invalid = (field: string, value: Json, message: string): FieldError => ({
  field,
  reason: 'FieldValueInvalid',
  value,
  message,
});

export const typeInvalid = (field: string, value: Json, expected: string): FieldError => ({
  field,
  reason: 'FieldValueTypeInvalid',
  value,
  message: `must be ${expected}, not ${value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value}`,
});

export const notSupported = (field: string, value: Json, values: readonly Json[]): FieldError => ({
  field,
  reason: 'FieldValueNotSupported',
  value,
  message: `must be one of ${values.map((each) => JSON.stringify(each)).join(', ')}`,
});

export const tooLong = (field: string, value: Json, limit: string): FieldError => ({
  field,
  reason: 'FieldValueTooLong',
  value,
  message: `may not be longer than ${limit}`,
});

export const tooMany = (field: string, value: Json, limit: number, what: string): FieldError => ({
  field,
  reason: 'FieldValueTooMany',
  value,
  message: `may not have more than ${limit} ${what}`,
});

export const duplicate = (field: string, value: Json): FieldError => ({
  field,
  reason: 'FieldValueDuplicate',
  value,
  message: 'repeats an earlier item of the list: remove one of them',
});

export const forbidden = (field: string, value: Json, message: string): FieldError => ({
  field,
  reason: 'FieldValueForbidden',
  value,
  message,
});

/** The errors as lines for people: path, value and what is expected. */
export const describeFieldErrors = (errors: readonly FieldError[]): string =>
  errors
    .map(({ field, value, message }) => {
      const shown = value === undefined || typeof value === 'object' ? '' : `${JSON.stringify(value)} `;
      return `${field === '' ? 'object' : field}: ${shown}${message}`;
    })
    .join('\n');
