import { expect, test } from 'vitest';
import { type SnapshotOptions, usesSnapshot } from './snapshot.ts';

test.each<[string, SnapshotOptions, boolean]>([
  ['a start with nothing but defaults uses a snapshot', {}, true],
  ['one with CRDs too', { crds: [{ kind: 'CustomResourceDefinition' }] }, true],
  ['flags that store nothing change nothing', { apiServerFlags: { 'enable-aggregator-routing': 'false' } }, true],
  ['a flag that may change what is stored does without', { apiServerFlags: { 'feature-gates': 'A=true' } }, false],
  ['a default that is taken away does without', { apiServerFlags: { 'authorization-mode': undefined } }, false],
  ['flags of etcd do without', { etcdFlags: { 'quota-backend-bytes': '1' } }, false],
  ['a directory that is kept has its own data', { dataDirectory: '/data' }, false],
  ['who wants none gets none', { snapshot: false }, false],
])('%s', (_what, options, expected) => {
  expect(usesSnapshot(options)).toBe(expected);
});
