import { mkdir, mkdtempDisposable, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readReadyFile, readyFleet, removeReadyFile, writeReadyFile } from './ready-file.ts';

it('says where the kubeconfigs are once the fleet is ready, and nothing before and afterwards', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'flotilla-ready-'));
  await mkdir(join(directory.path, 'kubeconfigs'));
  for (const name of ['hub', 'cluster1']) await writeFile(join(directory.path, 'kubeconfigs', `${name}.yaml`), '');
  expect(await readReadyFile(directory.path)).toBeUndefined();
  await writeReadyFile(await readyFleet(directory.path));
  expect(await readReadyFile(directory.path)).toEqual({
    directory: directory.path,
    kubeconfigs: {
      cluster1: join(directory.path, 'kubeconfigs', 'cluster1.yaml'),
      hub: join(directory.path, 'kubeconfigs', 'hub.yaml'),
    },
  });
  await removeReadyFile(directory.path);
  expect(await readdir(directory.path)).toEqual(['kubeconfigs']);
});
