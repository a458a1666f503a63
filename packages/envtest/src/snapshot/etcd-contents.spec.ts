import { expect, test } from 'vitest';
import type { Entry } from './entries.ts';
import { inTransactions } from './etcd-contents.ts';

const entry = (length: number): Entry => ['/registry/roles/a', 'x'.repeat(length)];
const sizes = (entries: readonly Entry[]) => inTransactions(entries).map((part) => part.length);

test.each<[string, Entry[], number[]]>([
  ['nothing is no transaction', [], []],
  ['a few small ones are one', [entry(1), entry(1)], [2]],
  ['more than etcd counts are several', Array.from({ length: 201 }, () => entry(1)), [100, 100, 1]],
  ['more than etcd takes at once are several', [entry(600_000), entry(600_000), entry(1)], [1, 2]],
  ['one that is too long for all others is alone', [entry(1), entry(2_000_000), entry(1)], [1, 1, 1]],
])('%s', (_what, entries, expected) => {
  expect(sizes(entries)).toEqual(expected);
  expect(inTransactions(entries).flat()).toEqual(entries);
});
