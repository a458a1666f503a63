import { mkdir, realpath, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryDirectory } from '../testing/temporary-directory.ts';
import { directoriesOf } from './path-directories.ts';

/** Directories by name, relative to a root whose own path has no links that would show up. */
async function layout(links: Record<string, string>, directories: readonly string[]) {
  const directory = await temporaryDirectory();
  const root = await realpath(directory.path);
  for (const name of directories) await mkdir(join(root, name), { recursive: true });
  for (const [name, target] of Object.entries(links)) await symlink(target.replace('ROOT', root), join(root, name));
  return {
    find: async (path: string) => {
      const found = await directoriesOf(join(root, path));
      return Object.fromEntries([...found].map(([at, names]) => [at.replace(root, '.'), [...names].sort()]));
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

const cases: [string, Record<string, string>, string[], string, Record<string, string[]>][] = [
  ['a plain file: its directory', {}, ['a/b'], 'a/b/file', { './a/b': ['file'] }],
  [
    'a linked directory on the way: where the link is, and where it leads',
    { now: 'a' },
    ['a/b'],
    'now/b/f',
    { '.': ['now'], './a/b': ['f'] },
  ],
  ['an absolute link', { now: 'ROOT/a' }, ['a'], 'now/file', { '.': ['now'], './a': ['file'] }],
  ['a link upwards', { 'a/b/up': '../../c' }, ['a/b', 'c'], 'a/b/up/file', { './a/b': ['up'], './c': ['file'] }],
  [
    'a chain of links, as the kubelet makes',
    { token: '..data/token', '..data': '..1' },
    ['..1'],
    'token',
    { '.': ['..data', 'token'], './..1': ['token'] },
  ],
  ['a way that ends early: the last directory there is', {}, ['a'], 'a/b/c/file', { './a': ['b'] }],
  [
    'a link to nowhere: where the link is',
    { 'a/now': '../gone/b' },
    ['a'],
    'a/now/file',
    { '.': ['gone'], './a': ['now'] },
  ],
  ['links in a circle: where they are', { 'a/x': 'y', 'a/y': 'x' }, ['a'], 'a/x/file', { './a': ['x', 'y'] }],
];

it.each(cases)('finds for %s', async (_name, links, directories, path, expected) => {
  await using made = await layout(links, directories);
  expect(await made.find(path)).toEqual(expected);
});
