import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { credentialFiles } from './credential-files.ts';

/** A directory that goes with the test, and the files in one below it. */
async function scratch() {
  const parent = await mkdtemp(join(tmpdir(), 'flotilla-files-'));
  const directory = join(parent, 'a', 'hub-kubeconfig');
  return {
    directory,
    files: credentialFiles(directory),
    contents: async () => {
      const names = (await readdir(directory)).sort();
      return Object.fromEntries(
        await Promise.all(names.map(async (name) => [name, await readFile(join(directory, name), 'utf8')])),
      );
    },
    [Symbol.asyncDispose]: () => rm(parent, { recursive: true }),
  };
}

const stored = { kubeconfig: 'K', 'tls.key': 'key', 'tls.crt': 'cert', 'cluster-name': 'c1', 'agent-name': 'a1' };

describe('the files of the hub credentials', () => {
  it('[registration-agent 19.5-54] are made, changed and otherwise left alone, for their owner only', async () => {
    await using scene = await scratch();
    await scene.files.write(stored);
    expect(await scene.contents()).toEqual(stored);
    expect((await stat(scene.directory)).mode & 0o777).toBe(0o700);
    const identity = async (name: string) => (await stat(join(scene.directory, name))).ino;
    for (const name of Object.keys(stored)) {
      expect((await stat(join(scene.directory, name))).mode & 0o777).toBe(0o600);
    }
    const before = { key: await identity('tls.key'), certificate: await identity('tls.crt') };
    await scene.files.write({ ...stored, 'tls.crt': 'next' });
    expect(await scene.contents()).toEqual({ ...stored, 'tls.crt': 'next' });
    expect(await identity('tls.key')).toBe(before.key);
    // Another file under the name: a reader never sees half of one.
    expect(await identity('tls.crt')).not.toBe(before.certificate);
  });

  it('go with their entries, and others stay', async () => {
    await using scene = await scratch();
    await scene.files.write(stored);
    await writeFile(join(scene.directory, 'notes.txt'), 'mine');
    const { 'tls.key': _key, 'tls.crt': _certificate, ...rest } = stored;
    await scene.files.write({ ...rest, token: 'T' });
    expect(await scene.contents()).toEqual({ ...rest, token: 'T', 'notes.txt': 'mine' });
  });

  it('are private although one was made readable, and never written through a link', async () => {
    await using scene = await scratch();
    await scene.files.write(stored);
    const key = join(scene.directory, 'tls.key');
    await chmod(key, 0o644);
    await scene.files.write(stored);
    expect((await stat(key)).mode & 0o777).toBe(0o600);
    const elsewhere = join(scene.directory, 'elsewhere');
    await writeFile(elsewhere, 'old');
    await rm(key);
    await symlink(elsewhere, key);
    await scene.files.write(stored);
    expect(await scene.contents()).toEqual({ ...stored, elsewhere: 'old' });
  });

  it('have none of the notes of a driver', async () => {
    await using scene = await scratch();
    await scene.files.write({ 'pending.tls.key': 'secret' });
    expect(await scene.contents()).toEqual({});
  });

  it('[registration-agent 19.1-10] are read one by one, and missing ones are nothing', async () => {
    await using scene = await scratch();
    expect(await scene.files.read('cluster-name')).toBeUndefined();
    await scene.files.write(stored);
    expect(await scene.files.read('cluster-name')).toBe('c1');
  });

  it('say which directory cannot be written', async () => {
    await using scene = await scratch();
    await scene.files.write(stored);
    const below = credentialFiles(join(scene.directory, 'kubeconfig', 'below'));
    await expect(below.write(stored)).rejects.toThrow(/cannot write the hub credentials into .*below/);
  });
});
