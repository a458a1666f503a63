import { describe, expect, it } from 'vitest';
import type { WorkspacePackage } from '../workspace.ts';
import { tagErrors } from './tag-errors.ts';

const types: WorkspacePackage = {
  directory: 'packages/api-types',
  manifest: { name: '@flotilla/api-types', version: '0.1.0' },
};
const kube: WorkspacePackage = {
  directory: 'packages/kube',
  manifest: { name: '@flotilla/kube', version: '0.1.0', dependencies: { '@flotilla/api-types': '0.1.0', rxjs: '^7' } },
};

describe('a version tag', () => {
  it.each(['v0.1.0'])('%s is fine when all packages have its version', (tag) => {
    expect(tagErrors(tag, [types, kube])).toEqual([]);
  });

  it.each(['0.1.0', 'v0.1', 'vnext', 'main'])('is not %s', (tag) => {
    expect(tagErrors(tag, [types, kube])).toEqual([`the tag ${tag} is not a version such as v0.1.0`]);
  });

  it('is refused before the packages have its version', () => {
    expect(tagErrors('v0.2.0-rc.1', [types])).toEqual([
      'packages/api-types/package.json has version 0.1.0, not 0.2.0-rc.1',
    ]);
  });

  it('is refused when a package depends on another version of the workspace', () => {
    const manifest = { ...kube.manifest, dependencies: { '@flotilla/api-types': '0.0.0' } };
    expect(tagErrors('v0.1.0', [types, { ...kube, manifest }])).toEqual([
      'packages/kube/package.json depends on @flotilla/api-types 0.0.0, not 0.1.0',
    ]);
  });
});
