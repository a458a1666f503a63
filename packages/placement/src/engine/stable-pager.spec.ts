import fc from 'fast-check';
import { expect, it } from 'vitest';
import { StablePager } from './stable-pager.ts';

const range = (count: number, from = 0) => Array.from({ length: count }, (_, index) => from + index);

it('puts a cluster that comes first on the page with room, and changes no other page', () => {
  const current = [range(100, 1), range(50, 101)];
  const pages = new StablePager().pagesOf(range(151), (page) => current[page]);
  expect(pages[0]).toBe(current[0]);
  expect(pages[1]).toEqual([0, ...range(50, 101)]);
});

it('fills a gap before it begins a page', () => {
  const current = [range(99, 1), range(100, 100)];
  const pages = new StablePager().pagesOf(range(200), (page) => current[page]);
  expect(pages).toEqual([[0, ...range(99, 1)], range(100, 100)]);
});

it('moves clusters only when there are more pages than they need', () => {
  const current = [range(99), range(100, 100), [200]];
  const pages = new StablePager().pagesOf([...range(99), ...range(101, 100)], (page) => current[page]);
  expect(pages).toEqual([[...range(99), 200], current[1]]);
});

it('selects each cluster once, on as few pages as there must be, whatever the pages were', () => {
  const pager = new StablePager();
  const id = fc.integer({ min: 0, max: 400 });
  fc.assert(
    fc.property(fc.uniqueArray(id, { maxLength: 400 }), fc.array(fc.array(id, { maxLength: 120 })), (ids, current) => {
      const sorted = ids.toSorted((a, b) => a - b);
      const pages = pager.pagesOf(sorted, (page) => current[page]);
      expect(pages.flat().toSorted((a, b) => a - b)).toEqual(sorted);
      expect(pages).toHaveLength(Math.max(1, Math.ceil(ids.length / 100)));
      expect(Math.max(...pages.map(({ length }) => length))).toBeLessThanOrEqual(100);
      // A second time nothing moves.
      expect(pager.pagesOf(sorted, (page) => pages[page])).toEqual(pages);
    }),
  );
});
