import { failure, type Library } from './library.ts';

type Ordered = bigint | number | string | boolean | Date;

/** Kubernetes' functions on lists. */
export const registerLists: Library = (environment) => {
  environment
    .registerFunction('list.isSorted(): bool', (list: readonly unknown[]) => isSorted(comparable(list)))
    .registerFunction('list.sum(): dyn', (list: readonly unknown[]) => sum(list))
    .registerFunction('list.min(): dyn', (list: readonly unknown[]) => extreme('min', comparable(list)))
    .registerFunction('list.max(): dyn', (list: readonly unknown[]) => extreme('max', comparable(list)))
    .registerFunction('list.indexOf(dyn): int', (list: readonly unknown[], item: unknown) =>
      BigInt(list.findIndex((each) => isEqual(each, item))),
    )
    .registerFunction('list.lastIndexOf(dyn): int', (list: readonly unknown[], item: unknown) =>
      BigInt(list.findLastIndex((each) => isEqual(each, item))),
    );
};

const isOrdered = (value: unknown): value is Ordered =>
  ['bigint', 'number', 'string', 'boolean'].includes(typeof value) || value instanceof Date;

function comparable(list: readonly unknown[]): Ordered[] {
  const ordered = list.filter(isOrdered);
  if (ordered.length !== list.length) throw failure('no such overload: the items of the list have no order');
  return ordered;
}

const isSorted = (list: readonly Ordered[]): boolean =>
  list.every((item, at) => {
    const before = list[at - 1];
    return before === undefined || before <= item;
  });

function sum(list: readonly unknown[]): bigint | number {
  if (list.every((item) => typeof item === 'bigint')) return list.reduce((total, item) => total + item, 0n);
  const numbers = list.filter((item) => typeof item === 'number' || typeof item === 'bigint').map(Number);
  if (numbers.length !== list.length) throw failure('no such overload: the items of the list are not numbers');
  return numbers.reduce((total, item) => total + item, 0);
}

function extreme(name: 'min' | 'max', list: readonly Ordered[]): Ordered {
  const [first, ...others] = list;
  if (first === undefined) throw failure(`${name} called on empty list`);
  return others.reduce((best, item) => ((name === 'min' ? item < best : item > best) ? item : best), first);
}

function isEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (isNumber(left) && isNumber(right)) return Number(left) === Number(right);
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (left instanceof Date && right instanceof Date) return left.getTime() === right.getTime();
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const [ours, theirs] = [new Map(Object.entries(left)), new Map(Object.entries(right))];
  return (
    ours.size === theirs.size && [...ours].every(([key, item]) => theirs.has(key) && isEqual(item, theirs.get(key)))
  );
}

const isNumber = (value: unknown): boolean => typeof value === 'bigint' || typeof value === 'number';
