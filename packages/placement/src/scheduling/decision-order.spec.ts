import { expect, it } from 'vitest';
import { type PageClusters, pageOrder } from './decision-order.ts';

const page = (present: string, wanted: string): PageClusters => ({ present: [...present], wanted: [...wanted] });
const orderOf = (...pages: PageClusters[]) =>
  pageOrder(pages).map(({ first, isLast }) => [first?.join('') ?? '-', ...(isLast ? ['last'] : [])].join(' '));

it.each<[string, PageClusters[], string[]]>([
  ['one page is written at once', [page('ab', 'a')], ['a']],
  [
    'a page that gives clusters away is written after the one that takes them',
    [page('ab', 'a'), page('', 'b')],
    ['- last', 'b'],
  ],
  ['clusters that are selected no more hold nothing up', [page('ab', 'a'), page('', 'c')], ['a', 'c']],
  ['pages that exchange clusters have both for a moment', [page('a', 'b'), page('b', 'a')], ['ab last', 'ba last']],
  ['a chain', [page('a', ''), page('b', 'a'), page('', 'b')], ['- last', 'ba last', 'b']],
])('%s', (_, pages, expected) => {
  expect(orderOf(...pages)).toEqual(expected);
});
