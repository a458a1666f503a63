import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { flotilla } from './fixtures/cli.ts';

describe('plugins', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'flotilla-plugins-'));
    for (const name of ['flotilla-greet', 'flotilla-get', 'kubectl']) {
      const file = join(directory, name);
      await writeFile(file, `#!/bin/sh\necho "${name} $* $KUBECONFIG" > ${directory}/called\nexit 7\n`);
      await chmod(file, 0o755);
    }
    await writeFile(join(directory, 'flotilla-notes.txt'), 'not a program');
  });
  afterAll(() => rm(directory, { recursive: true }));
  const called = async (...argv: string[]) => {
    const env = { PATH: `${directory}:${process.env.PATH}`, KUBECTL: join(directory, 'kubectl') };
    const { code } = await flotilla(argv, { env });
    const { readFile } = await import('node:fs/promises');
    return [code, (await readFile(join(directory, 'called'), 'utf8')).trim()];
  };

  it('are the programs on the PATH whose names say so', async () => {
    const { out } = await flotilla(['plugin', 'list', '-o', 'json'], { env: { PATH: directory } });
    expect(JSON.parse(out)).toEqual([join(directory, 'flotilla-get'), join(directory, 'flotilla-greet')]);
    expect(await flotilla(['plugin', 'list'], { env: { PATH: '' } })).toMatchObject({ code: 0, out: '' });
  });

  it('become commands with all their arguments and their exit code, and replace none', async () => {
    expect(await called('greet', '--name', 'world')).toEqual([7, 'flotilla-greet --name world']);
    const { code, err } = await flotilla(['get', 'clusters'], { env: { PATH: directory } });
    expect([code, err]).toEqual([4, expect.stringContaining('nothing listens there')]);
  });

  it('are not needed for config, which is that of kubectl', async () => {
    expect(await called('config', 'view', '--minify', '--kubeconfig', 'hub.yaml')).toEqual([
      7,
      'kubectl config view --minify hub.yaml',
    ]);
  });
});
