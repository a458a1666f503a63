import { expect, test } from 'vitest';
import { requiredLabels } from '../scheduler/selectors.ts';
import { Column } from './column.ts';
import { PredicateIndex } from './predicate-index.ts';

const indexed = (labels: readonly string[] | undefined) => ({ column: new Column(() => true), predicate: { labels } });

test('a change of a cluster concerns the predicates that ask for a label that it has or had, and those that ask for none', () => {
  const index = new PredicateIndex();
  const [prod, dev, either, other, any] = [
    ['env=prod'],
    ['env=dev'],
    ['env=dev', 'env=prod'],
    ['env=x'],
    undefined,
  ].map(indexed);
  for (const predicate of [prod, dev, either, other, any]) if (predicate) index.add(predicate);
  expect(index.columnsFor({ env: 'dev' }, { env: 'prod' })).toEqual(
    new Set([any, dev, either, prod].map((predicate) => predicate?.column)),
  );
  expect(index.columnsFor(undefined, { region: 'eu' })).toEqual(new Set([any?.column]));
});

test('a predicate that is not used any more is not tested any more', () => {
  const index = new PredicateIndex();
  const predicates = [['env=prod', 'env=dev'], undefined].map(indexed);
  for (const predicate of predicates) index.add(predicate);
  for (const predicate of predicates) index.delete(predicate);
  expect(index.columnsFor({ env: 'dev' }, { env: 'prod' })).toEqual(new Set());
});

test.each([
  ['labels', { matchLabels: { env: 'prod' } }, ['env=prod']],
  [
    'the shortest list of values',
    {
      matchExpressions: [
        { key: 'env', operator: 'In', values: ['a', 'b'] },
        { key: 'region', operator: 'In', values: ['eu'] },
      ],
    },
    ['region=eu'],
  ],
  [
    'no label, if values are only refused',
    { matchExpressions: [{ key: 'env', operator: 'NotIn', values: ['a'] }] },
    undefined,
  ],
  ['no label, if only the key counts', { matchExpressions: [{ key: 'env', operator: 'Exists' }] }, undefined],
  ['no label, if it is empty', {}, undefined],
])('a selector is found by %s', (_, selector, labels) => {
  expect(requiredLabels(selector)).toEqual(labels);
});
