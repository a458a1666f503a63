import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { flotilla } from '../fixtures/cli.ts';
import { makeDataDirectory } from './data-directory.ts';

let parent: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'flotilla-data-'));
});
afterEach(() => rm(parent, { recursive: true }));

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

it('makes the directory of a fleet for its owner only, and takes it again', async () => {
  const path = join(parent, 'a', 'fleet');
  await makeDataDirectory(path);
  expect(await modeOf(path)).toBe(0o700);
  await mkdir(join(path, 'kubeconfigs'));
  await makeDataDirectory(path);
});

it.each([{ flags: [] }, { flags: ['--detach'] }])(
  'refuses a directory with other things in it, and leaves it as it is: up $flags',
  async ({ flags }) => {
    const path = join(parent, 'shared');
    await mkdir(path);
    await writeFile(join(path, 'thesis.txt'), '');
    const before = await modeOf(path);
    expect(await flotilla(['up', '--data-dir', path, ...flags])).toMatchObject({
      code: 2,
      err: expect.stringContaining('there are other things in --data-dir'),
    });
    expect(await modeOf(path)).toBe(before);
  },
);
