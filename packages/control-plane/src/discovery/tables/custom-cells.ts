import type { KubeObject } from '@flotilla/api-types';
import type { TableColumn } from '../../schema/resource-info.ts';
import type { Ages } from './ages.ts';
import type { Cell } from './cell.ts';
import { type JsonPath, parseJsonPath } from './json-path.ts';

/** Makes the cell of one printer column. */
export type ColumnPrinter = (object: KubeObject, ages: Ages) => Cell;

/** The printer of a column of a custom resource: the first value its path finds, as the column's type wants it. */
export function columnPrinter({ jsonPath, type, format }: TableColumn): ColumnPrinter {
  if (format === 'name' && jsonPath === undefined) return ({ metadata }) => metadata?.name ?? '';
  const path = readable(jsonPath ?? '');
  return (object, ages) => {
    const found = path && firstOf(path, object);
    return found ? cellOf(type, found.value, ages) : null;
  };
}

function readable(path: string): JsonPath | undefined {
  try {
    return parseJsonPath(path);
  } catch {
    return undefined; // The column stays empty, as with a path that finds nothing.
  }
}

function firstOf(path: JsonPath, object: KubeObject): { readonly value: unknown } | undefined {
  try {
    const found = path(object);
    return found.length === 0 ? undefined : { value: found[0] };
  } catch {
    return undefined;
  }
}

function cellOf(type: string, value: unknown, ages: Ages): Cell {
  switch (type) {
    case 'string':
      return textOf(value);
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? ageOf(value, ages) : null;
    default:
      return null;
  }
}

const timeSyntax = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

const ageOf = (time: string, ages: Ages): string => {
  if (time === '') return '<unknown>';
  return timeSyntax.test(time) ? ages.since(time) : '<invalid>';
};

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '<no value>';
  return typeof value === 'object' ? jsonOf(value) : String(value);
}

/** JSON as Go writes it: keys in order, and safe to put into HTML. */
const jsonOf = (value: object): string =>
  JSON.stringify(value, (_, child: unknown) => (isRecord(child) ? inOrder(child) : child)).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const inOrder = (record: Record<string, unknown>): object =>
  Object.fromEntries(Object.entries(record).sort(([left], [right]) => (left < right ? -1 : 1)));
