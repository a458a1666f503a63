const comparisons: Readonly<Record<string, (order: number) => boolean>> = {
  '==': (order) => order === 0,
  '!=': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

export const isComparison = (operator: string): boolean => Object.hasOwn(comparisons, operator);

/** Compares two values of one type as filters of JSON paths do; throws for values that cannot be compared. */
export function compares(left: unknown, operator: string, right: unknown): boolean {
  const kind = kindOf(left);
  if (kind !== kindOf(right)) throw new TypeError('values of different types cannot be compared');
  if (kind === 'boolean' && operator !== '==' && operator !== '!=') throw new TypeError('booleans have no order');
  return comparisons[operator]?.(order(left, right)) ?? false;
}

/** Whole numbers and fractions are different types to the real server. */
function kindOf(value: unknown): string {
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'float';
  if (typeof value === 'string' || typeof value === 'boolean') return typeof value;
  throw new TypeError('only texts, numbers and booleans can be compared');
}

const order = (left: unknown, right: unknown): number => {
  if (left === right) return 0;
  return typeof left === 'number' && typeof right === 'number' ? left - right : String(left) < String(right) ? -1 : 1;
};
