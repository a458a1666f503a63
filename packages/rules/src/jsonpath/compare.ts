import { JsonPathError, type LiteralKind } from './nodes.ts';

/** A side of a comparison. A literal knows its kind; a value of JSON shows it. */
export interface Operand {
  readonly value: unknown;
  readonly kind?: LiteralKind;
}

/** Compares as Kubernetes does: only values of one kind, and only texts and numbers by order. */
export function compare(left: Operand, operator: string, right: Operand): boolean {
  switch (operator) {
    case '==':
      return equal(left, right);
    case '!=':
      return !equal(left, right);
    case '<':
      return less(left, right);
    case '<=':
      return less(left, right) || equal(left, right);
    case '>':
      return !(less(left, right) || equal(left, right));
    case '>=':
      return !less(left, right);
    default:
      throw new JsonPathError(`unrecognized filter operator ${operator}`);
  }
}

function equal(left: Operand, right: Operand): boolean {
  kindOfBoth(left, right);
  return left.value === right.value;
}

function less(left: Operand, right: Operand): boolean {
  if (kindOfBoth(left, right) === 'bool') throw new JsonPathError('invalid type for comparison');
  if (isNumber(left.value) && isNumber(right.value)) return left.value < right.value;
  return Buffer.compare(Buffer.from(String(left.value)), Buffer.from(String(right.value))) < 0;
}

const isNumber = (value: unknown): value is number | bigint => typeof value === 'number' || typeof value === 'bigint';

function kindOfBoth(left: Operand, right: Operand): LiteralKind {
  const kind = kindOf(left);
  if (kind !== kindOf(right)) throw new JsonPathError('incompatible types for comparison');
  return kind;
}

function kindOf({ value, kind }: Operand): LiteralKind {
  if (kind !== undefined) return kind;
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  throw new JsonPathError('invalid type for comparison');
}
