import { compileJsonPath, type JsonPath } from '@flotilla/rules/jsonpath';
import type { KubeObject } from '@flotilla/schema';
import type { TableColumn } from '../../contracts/resource-info.ts';
import { goJson } from '../../patch/go-format.ts';
import type { Ages } from './ages.ts';
import { type Cell, nameOf } from './cell.ts';

/** Makes the cell of one printer column. */
export type ColumnPrinter = (object: KubeObject, ages: Ages) => Cell;

/** The printer of a column of a custom resource: the first value its path finds, as the column's type wants it. Throws for a path that is none. */
export function columnPrinter({ jsonPath, type, format }: TableColumn): ColumnPrinter {
  if (format === 'name' && jsonPath === undefined) return nameOf;
  const path = compileJsonPath(jsonPath ?? '');
  return (object, ages) => {
    const found = firstOf(path, object);
    return found ? cellOf(type, found.value, ages) : null;
  };
}

function firstOf(path: JsonPath, object: KubeObject): { readonly value: unknown } | undefined {
  try {
    const [found = []] = path.find(object);
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
      if (typeof value === 'bigint') return value;
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint' ? value : null;
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
  if (typeof value === 'object') return goJson(value);
  return typeof value === 'number' ? numberText(value) : String(value);
}

/** Go writes small fractions with an exponent, and exponents with two digits. */
function numberText(value: number): string {
  const isSmall = value !== 0 && Math.abs(value) < 1e-4;
  return (isSmall ? value.toExponential() : String(value)).replace(/e([+-])(\d)$/, 'e$10$2');
}
