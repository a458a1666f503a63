import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claimDirectory } from './control-socket.ts';
import { makeTemporaryDirectory } from './temporary-directory.ts';

describe('the temporary directory of a fleet', () => {
  let parent: string;
  /** Of a process that has ended. */
  const deadPid = spawnSync(process.execPath, ['-e', '']).pid;
  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'flotilla-spec-'));
  });
  afterEach(() => rm(parent, { recursive: true }));

  const left = async (name: string) => {
    await mkdir(join(parent, name));
    await writeFile(join(parent, name, 'hub.yaml'), 'a key');
    return join(parent, name);
  };

  it('is new, and removes those of processes that were killed', async () => {
    await left(`flotilla-up-${deadPid}-abc123`);
    const path = await makeTemporaryDirectory(parent);
    expect(await readdir(parent)).toEqual([path.slice(parent.length + 1)]);
    expect(path).toContain(`flotilla-up-${process.pid}-`);
  });

  it('leaves alone what a process uses, and what is not one', async () => {
    const names = [`flotilla-up-${process.pid}-abc123`, 'flotilla-up-notes', `flotilla-${deadPid}-abc123`];
    for (const name of names) await left(name);
    await mkdir(join(parent, 'elsewhere'));
    await symlink(join(parent, 'elsewhere'), join(parent, `flotilla-up-${deadPid}-linked`));
    // In another container its number may mean another process: what answers is alive.
    const answers = await left(`flotilla-up-${deadPid}-socket`);
    await using _claim = await claimDirectory(answers, () => {});
    const path = await makeTemporaryDirectory(parent);
    await rm(path, { recursive: true });
    expect((await readdir(parent)).sort()).toEqual(
      [...names, 'elsewhere', `flotilla-up-${deadPid}-linked`, `flotilla-up-${deadPid}-socket`].sort(),
    );
  });
});
