import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from '@flotilla/api-types/validation';
import type { FieldCause } from '../errors/api-errors.ts';

/** Says what is wrong with a text, in the words of the API server; empty if nothing is. */
export type TextCheck = (text: string) => readonly string[];

/** Where causes go. */
interface Causes {
  push(cause: FieldCause): unknown;
}

/**
 * A place in an object under validation: reads what is there, and tells what is wrong with it in the words of the API server.
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

  /** The object itself; what is wrong is collected in `causes`. */
  static root(object: JsonObject, causes: Causes): Field {
    return new Field('', object, causes);
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

  /** The same place, to tell something about with another value. */
  with(value: Json | undefined): Field {
    return new Field(this.path, value, this.#causes);
  }

  /** The same value, told as if it stood elsewhere. */
  under(path: string): Field {
    return new Field(path, this.value, this.#causes);
  }

  /** The same place; `hear` is called for each cause told about it or what is inside it. */
  observed(hear: () => void): Field {
    const causes = this.#causes;
    const push = (cause: FieldCause): void => {
      hear();
      causes.push(cause);
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
    return typeof this.value === 'object' && this.value !== null && !Array.isArray(this.value) ? this.value : {};
  }

  get names(): string[] {
    return Object.keys(this.fields);
  }

  equals(other: Field): boolean {
    return isDeepStrictEqual(this.value ?? null, other.value ?? null);
  }

  /** Tells a cause whose message is complete. */
  tell(reason: FieldCause['reason'], message: string): void {
    this.#tell(reason, message, '');
  }

  required(detail = ''): void {
    this.#tell('FieldValueRequired', 'Required value', detail);
  }

  forbidden(detail: string): void {
    this.#tell('FieldValueForbidden', 'Forbidden', detail);
  }

  invalid(detail: string, shown: Json | undefined = this.value): void {
    this.#tell('FieldValueInvalid', `Invalid value: ${JSON.stringify(shown ?? null)}`, detail);
  }

  notSupported(values: readonly string[], shown: Json | undefined = this.value): void {
    const names = values.map((value) => JSON.stringify(value)).join(', ');
    this.#tell(
      'FieldValueNotSupported',
      `Unsupported value: ${JSON.stringify(shown === undefined ? '' : shown)}`,
      `supported values: ${names}`,
    );
  }

  duplicate(shown: Json | undefined = this.value): void {
    this.#tell('FieldValueDuplicate', `Duplicate value: ${JSON.stringify(shown ?? null)}`, '');
  }

  tooLong(limit: number, unit: 'byte' | 'character' = 'byte'): void {
    this.#tell('FieldValueTooLong', 'Too long', `may not be more than ${limit} ${unit}${limit === 1 ? '' : 's'}`);
  }

  tooMany(limit: number): void {
    const count = Math.max(this.list.length, this.names.length);
    this.#tell('FieldValueTooMany', `Too many: ${count}`, `must have at most ${limit} item${limit === 1 ? '' : 's'}`);
  }

  notFound(): void {
    this.#tell('FieldValueNotFound', `Not found: ${JSON.stringify(this.value ?? null)}`, '');
  }

  /** Applies the rules of a text. */
  check(...checks: readonly TextCheck[]): void {
    for (const check of checks) for (const problem of check(this.text)) this.invalid(problem, this.text);
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

  #tell(reason: FieldCause['reason'], kind: string, detail: string): void {
    const message = detail === '' ? kind : `${kind}: ${detail}`;
    this.#causes.push({ reason, field: this.path === '' ? '<nil>' : this.path, message });
  }
}
