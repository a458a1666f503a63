import fc from 'fast-check';
import { expect, it } from 'vitest';
import { orderItems } from './strategic-lists.ts';

/** What the API server does, which compares each item with all before it. */
function ordered(merged: readonly string[], order: readonly string[], server: readonly string[]): string[] {
  const sorted = (items: readonly string[], by: readonly string[]): string[] => {
    const result: string[] = [];
    for (const item of items) {
      const isNotLarger = (other: string) =>
        by.includes(item) && by.includes(other) && by.indexOf(item) >= by.indexOf(other);
      result.splice(result.findLastIndex(isNotLarger) + 1, 0, item);
    }
    return result;
  };
  const named = sorted(
    merged.filter((item) => order.includes(item)),
    order,
  );
  const others = sorted(
    merged.filter((item) => !order.includes(item)),
    server,
  );
  const result: string[] = [];
  for (const item of named) {
    const at = server.indexOf(item);
    while (others[0] !== undefined && server.includes(others[0]) && server.indexOf(others[0]) < at) {
      result.push(...others.splice(0, 1));
    }
    result.push(item);
  }
  return [...result, ...others];
}

const letters = fc.array(fc.constantFrom(...'abcdefgh'), { maxLength: 10 });

it('orders items as the API server does, also those that neither list names', () => {
  fc.assert(
    fc.property(letters, letters, letters, (merged, order, server) => {
      expect(orderItems(merged, order, server, '')).toEqual(ordered(merged, order, server));
    }),
    { numRuns: 2000 },
  );
});
