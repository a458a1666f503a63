import { isDeepStrictEqual } from 'node:util';
import { isRecord, type Json, type JsonObject, stringifyJson } from '@flotilla/schema';
import type { FieldCause } from '../errors/api-errors.ts';

/** Returns the error messages of the API server for a string; empty if it is valid. */
export type TextCheck = (text: string) => readonly string[];

/** Where causes go. */
interface Causes {
  push(reason: FieldCause['reason'], field: string, message: () => string): void;
}

/** Letters of all causes of one object. Each may show a value of megabytes, and there may be one for each item of a long list. */
const maxLetters = 1024 * 1024;

/** Collects causes up to the limit; messages beyond it are not even made. */
function bounded(causes: FieldCause[]): Causes {
  let letters = 0;
  return {
    push(reason, field, message) {
      if (letters > maxLetters) return;
      const cause = { reason, field, message: message() };
      letters += cause.field.length + cause.message.length;
      causes.push(cause);
    },
  };
}

/**
 * A place in an object under validation: reads the value, and reports errors with the messages of the API server.
 * What is absent reads as the zero value of the wanted type, as it does in the server.
 */
export class Field {
  readonly path: string;
  readonly value: Json | undefined;
  readonly #causes: Causes;

  private constructor(path: string, value: Json | undefined, causes: Causes) {
    this.path = path;
    this.value = value;
    this.#causes = causes;
  }

  /** The object itself; errors are collected in `causes`. */
  static root(object: JsonObject, causes: FieldCause[]): Field {
    return new Field('', object, bounded(causes));
  }

  at(name: string): Field {
    const value = this.fields[name];
    return new Field(this.path === '' ? name : `${this.path}.${name}`, value, this.#causes);
  }

  /** The value of a map, whose keys are not fields. */
  key(name: string): Field {
    return new Field(`${this.path}[${name}]`, this.fields[name], this.#causes);
  }

  items(): Field[] {
    return this.list.map((item, at) => new Field(`${this.path}[${at}]`, item, this.#causes));
  }

  entries(): [string, Field][] {
    return Object.keys(this.fields).map((name) => [name, this.key(name)]);
  }

  /** The same place, to report something about with another value. */
  with(value: Json | undefined): Field {
    return new Field(this.path, value, this.#causes);
  }

  /** The same value, reported at another path. */
  under(path: string): Field {
    return new Field(path, this.value, this.#causes);
  }

  /** The same place; `onError` is called for each cause at this path or below it. */
  observed(onError: () => void): Field {
    const causes = this.#causes;
    const push: Causes['push'] = (...cause) => {
      onError();
      causes.push(...cause);
    };
    return new Field(this.path, this.value, { push });
  }

  get present(): boolean {
    return this.value !== undefined && this.value !== null;
  }

  get text(): string {
    return typeof this.value === 'string' ? this.value : '';
  }

  get number(): number {
    return typeof this.value === 'number' ? this.value : 0;
  }

  get flag(): boolean {
    return this.value === true;
  }

  get list(): readonly Json[] {
    return Array.isArray(this.value) ? this.value : [];
  }

  get fields(): JsonObject {
    return isRecord(this.value) ? this.value : {};
  }

  get names(): string[] {
    return Object.keys(this.fields);
  }

  equals(other: Field): boolean {
    return isDeepStrictEqual(this.value ?? null, other.value ?? null);
  }

  /** Reports a cause whose message is complete. */
  report(reason: FieldCause['reason'], message: string): void {
    this.#report(reason, () => message, '');
  }

  required(detail = ''): void {
    this.#report('FieldValueRequired', () => 'Required value', detail);
  }

  forbidden(detail: string): void {
    this.#report('FieldValueForbidden', () => 'Forbidden', detail);
  }

  invalid(detail: string, shown: Json | undefined = this.value): void {
    this.#report('FieldValueInvalid', () => `Invalid value: ${stringifyJson(shown ?? null)}`, detail);
  }

  notSupported(values: readonly string[], shown: Json | undefined = this.value): void {
    const names = values.map((value) => stringifyJson(value)).join(', ');
    this.#report(
      'FieldValueNotSupported',
      () => `Unsupported value: ${stringifyJson(shown === undefined ? '' : shown)}`,
      `supported values: ${names}`,
    );
  }

  duplicate(shown: Json | undefined = this.value): void {
    this.#report('FieldValueDuplicate', () => `Duplicate value: ${stringifyJson(shown ?? null)}`, '');
  }

  tooLong(limit: number, unit: 'byte' | 'character' = 'byte'): void {
    this.#report(
      'FieldValueTooLong',
      () => 'Too long',
      `may not be more than ${limit} ${unit}${limit === 1 ? '' : 's'}`,
    );
  }

  tooMany(limit: number): void {
    const count = Math.max(this.list.length, this.names.length);
    this.#report(
      'FieldValueTooMany',
      () => `Too many: ${count}`,
      `must have at most ${limit} item${limit === 1 ? '' : 's'}`,
    );
  }

  notFound(): void {
    this.#report('FieldValueNotFound', () => `Not found: ${stringifyJson(this.value ?? null)}`, '');
  }

  /** Applies the rules of a text. */
  check(...checks: readonly TextCheck[]): void {
    for (const check of checks) for (const message of check(this.text)) this.invalid(message, this.text);
  }

  /** One of these; `required` says what happens to an empty text. */
  oneOf(values: readonly string[], required = true): void {
    if (this.text === '') {
      if (required) this.required();
    } else if (!values.includes(this.text)) this.notSupported(values);
  }

  notNegative(): void {
    if (this.number < 0) this.invalid('must be greater than or equal to 0');
  }

  /** Refuses any other value than the old one. */
  immutable(old: Field, detail = 'field is immutable'): void {
    if (!this.equals(old)) this.invalid(detail);
  }

  #report(reason: FieldCause['reason'], kind: () => string, detail: string): void {
    const message = () => (detail === '' ? kind() : `${kind()}: ${detail}`);
    this.#causes.push(reason, this.path === '' ? '<nil>' : this.path, message);
  }
}
