import { expect, it } from 'vitest';
import { rankOf } from './rank.ts';

it.each([
  [undefined, 1001],
  ['Namespace', 0],
  ['CustomResourceDefinition', 0],
  ['ClusterRole', 1],
  ['ServiceAccount', 2],
  ['Secret', 3],
  ['Service', 4],
  ['Deployment', 5],
  ['APIService', 6],
  ['Gadget', 1000],
])('[work 18.B-33] ranks %s as %i', (kind, rank) => {
  expect(rankOf(kind)).toBe(rank);
});
