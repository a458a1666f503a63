import { expect, it } from 'vitest';
import { countLines, lineTable } from './count-lines.ts';

const before = countLines(
  ['v1:packages/kube/src/a.ts:10', 'v1:packages/kube/src/a.spec.ts:5', 'v1:packages/kube/fixtures/b.ts:2', ''].join(
    '\n',
  ),
  'v1',
);

it('sums up the lines of a package, tests apart', () => {
  expect(before).toEqual(new Map([['packages/kube', { source: 10, tests: 7 }]]));
});

it('counts whole suites as tests, and folders that hold no packages as one', () => {
  const output = 'HEAD:e2e/work/a.kube.ts:3\nHEAD:e2e/work/world.ts:4\nHEAD:tools/a/b.ts:1\nHEAD:apps/hub/src/c.ts:2';
  expect(Object.fromEntries(countLines(output, 'HEAD'))).toEqual({
    e2e: { source: 0, tests: 7 },
    tools: { source: 1, tests: 0 },
    'apps/hub': { source: 2, tests: 0 },
  });
});

it('prints both counts beside one another, and their sums', () => {
  const after = countLines('HEAD:packages/kube/src/a.ts:8\nHEAD:packages/schema/src/a.ts:1', 'HEAD');
  expect(lineTable(before, after).split('\n').slice(2)).toEqual([
    '| packages/kube | 10 | 8 | 7 |  |',
    '| packages/schema |  | 1 |  |  |',
    '| all | 10 | 9 | 7 |  |',
  ]);
});
