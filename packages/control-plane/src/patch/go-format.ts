import { isRecord, stringifyJson } from '@flotilla/schema';
import { compareText, fieldOf, isList } from './json.ts';

/** JSON as the API server writes it: keys in byte order, `<`, `>` and `&` escaped. */
export function goJson(value: unknown): string {
  if (isList(value)) return `[${value.map(goJson).join(',')}]`;
  if (isRecord(value)) {
    const fields = sortedKeys(value).map((key) => `${goString(key)}:${goJson(fieldOf(value, key))}`);
    return `{${fields.join(',')}}`;
  }
  return typeof value === 'string' ? goString(value) : stringifyJson(value ?? null);
}

/** A value as Go's `%v` prints it, which is how error messages of the API server show what was sent. */
export function goValue(value: unknown): string {
  if (isList(value)) return `[${value.map(goValue).join(' ')}]`;
  if (isRecord(value))
    return `map[${sortedKeys(value)
      .map((key) => `${key}:${goValue(fieldOf(value, key))}`)
      .join(' ')}]`;
  return value === null || value === undefined ? '<nil>' : String(value);
}

/** A value as Go's `%#v` prints it. */
export function goSyntax(value: unknown): string {
  if (isList(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (isRecord(value)) {
    const fields = sortedKeys(value).map((key) => `${JSON.stringify(key)}:${goSyntax(fieldOf(value, key))}`);
    return `map[string]interface {}{${fields.join(', ')}}`;
  }
  if (typeof value === 'string') return JSON.stringify(value);
  return value === null || value === undefined ? 'interface {}(nil)' : String(value);
}

/** The Go type that a decoded JSON value has, as `%T` prints it. */
export function goType(value: unknown): string {
  if (isList(value)) return '[]interface {}';
  if (isRecord(value)) return 'map[string]interface {}';
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : '<nil>';
}

const sortedKeys = (value: object): string[] => Object.keys(value).sort(compareText);

function goString(text: string): string {
  return JSON.stringify(text).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
