import { describe, expect, it } from 'vitest';
import { lockErrors } from './lock-errors.ts';

describe('a lock file is good', () => {
  it.each([
    ['when a dependency is at the top', { 'node_modules/nx': {} }],
    ['when a dependency is beside the package', { 'packages/kube/node_modules/nx': {} }],
    ['when a dependency is in between', { 'packages/node_modules/nx': {} }],
    ['when a package of the workspace is a link', { 'node_modules/nx': { resolved: 'packages/nx', link: true } }],
  ])('%s', (_, found) => {
    expect(lockErrors({ packages: { 'packages/kube': { dependencies: { nx: '1.0.0' } }, ...found } })).toEqual([]);
  });
});

describe('a lock file is bad', () => {
  it('without the native package of another platform', () => {
    const packages = { 'node_modules/nx': { optionalDependencies: { '@nx/nx-darwin-arm64': '1.0.0' } } };
    expect(lockErrors({ packages })).toEqual([
      '@nx/nx-darwin-arm64@1.0.0, which node_modules/nx depends on, is not locked',
    ]);
  });

  it('when a dependency is only in the directory of another package', () => {
    const packages = {
      'packages/kube': { dependencies: { nx: '1.0.0' } },
      'packages/envtest/node_modules/nx': {},
      'node_modules/other/node_modules/nx': {},
    };
    expect(lockErrors({ packages })).toHaveLength(1);
  });

  it('when it names a registry', () => {
    const packages = { 'node_modules/nx': { resolved: 'https://registry.example/nx.tgz' } };
    expect(lockErrors({ packages })).toEqual(['node_modules/nx names a registry: https://registry.example/nx.tgz']);
  });
});
