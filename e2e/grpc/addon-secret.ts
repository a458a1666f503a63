import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KubeClient, realClock } from '@flotilla/kube';
import { secrets } from '@flotilla/kube/kinds';

/** The credentials of an add-on as files, as a pod has its Secret mounted. */
export interface MountedSecret extends AsyncDisposable {
  /** The path of its kubeconfig, which names the others. */
  readonly kubeconfig: string;
  readonly data: Readonly<Record<string, string>>;
}

/** Waits for the Secret of an add-on, and mounts it. */
export async function mountSecret(client: KubeClient, key: string): Promise<MountedSecret> {
  const deadline = realClock.monotonic() + 30_000;
  let found = await client.resource(secrets).find(key);
  while (!found) {
    if (realClock.monotonic() > deadline) throw new Error(`there is no Secret ${key}`);
    await realClock.sleep(50);
    found = await client.resource(secrets).find(key);
  }
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-add-on-'));
  const data = Object.fromEntries(Object.entries(found.data ?? {}).map(([name, value]) => [name, atob(value)]));
  for (const [name, text] of Object.entries(data)) await writeFile(join(directory, name), text, { mode: 0o600 });
  return {
    kubeconfig: join(directory, 'kubeconfig'),
    data,
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}
