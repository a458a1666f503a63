import { describe, expect, it } from 'vitest';
import type { Manifest } from '../workspace.ts';
import { metadataErrors } from './metadata.ts';

const root: Manifest = {
  name: 'flotilla',
  license: 'Apache-2.0',
  repository: { type: 'git', url: 'git+https://example.com/flotilla.git' },
};

const good: Manifest = {
  name: '@flotilla/kube',
  description: 'A kit.',
  keywords: ['kubernetes', 'controller', 'client'],
  homepage: 'https://example.com/flotilla/tree/main/packages/kube#readme',
  bugs: 'https://example.com/flotilla/issues',
  repository: { type: 'git', url: 'git+https://example.com/flotilla.git', directory: 'packages/kube' },
  license: 'Apache-2.0',
  engines: { node: '>=24' },
};

const errors = (changes: Partial<Manifest>) =>
  metadataErrors({ directory: 'packages/kube', manifest: { ...good, ...changes } }, root);

describe('the metadata of a package', () => {
  it('is complete when it names its repository, keywords, licence and Node', () => {
    expect(errors({})).toEqual([]);
  });

  it.each<[string, Partial<Manifest>, string]>([
    ['no repository', { repository: undefined }, '"repository" in package.json must be {"type":"git"'],
    [
      'the directory of another package',
      { repository: { ...good.repository, directory: 'packages/other' } },
      '"directory":"packages/kube"',
    ],
    ['another homepage', { homepage: 'https://example.com' }, '"homepage" in package.json must be "https://example'],
    ['no tracker', { bugs: undefined }, '"bugs" in package.json must be "https://example.com/flotilla/issues"'],
    ['another licence', { license: 'MIT' }, '"license" in package.json must be "Apache-2.0"'],
    ['no description', { description: '' }, '"description" in package.json is missing'],
    ['too few keywords', { keywords: ['kubernetes'] }, 'at least three'],
    ['no keyword kubernetes', { keywords: ['a', 'b', 'c'] }, '"kubernetes" among them'],
    ['no engines', { engines: undefined }, '"engines" in package.json must name the oldest Node'],
  ])('is refused with %s', (_, changes, error) => {
    expect(errors(changes)).toEqual([expect.stringContaining(error)]);
  });

  it('is refused while the root names no repository', () => {
    expect(metadataErrors({ directory: 'packages/kube', manifest: good }, { name: 'flotilla' })).toEqual([
      'the package.json of the root has no "repository"',
    ]);
  });
});
