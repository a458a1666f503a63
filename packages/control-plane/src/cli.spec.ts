import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { createKubeClient, type KubeClient, kubeconfigAccess, realClock } from '@flotilla/kube';
import { configMaps } from '@flotilla/kube/kinds';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../fixtures/temporary-directory.ts';

// As it is shipped: the build comes before the specs.
const program = new URL('../dist/bin/cli.js', import.meta.url).pathname;

/** Runs the process until it says that it serves. */
async function start(
  flags: readonly string[],
  cwd = process.cwd(),
): Promise<{ child: ChildProcess; kubeconfig: string }> {
  const child = spawn(process.execPath, [program, '--port=0', '--logging-format=json', ...flags], {
    cwd,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  for await (const line of createInterface({ input: child.stderr })) {
    const { msg, kubeconfig } = JSON.parse(line);
    if (msg === 'serving') {
      child.stderr.resume();
      return { child, kubeconfig };
    }
  }
  throw new Error('the process ended');
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

async function withClient<T>(kubeconfig: string, use: (client: KubeClient) => Promise<T>): Promise<T> {
  const access = kubeconfigAccess({ files: kubeconfig, clock: realClock });
  const client = createKubeClient({ access });
  try {
    return await use(client);
  } finally {
    await client.close();
    access.close();
  }
}

const run = (flags: readonly string[]) => promisify(execFile)(process.execPath, [program, ...flags]);

describe('flotilla-control-plane', () => {
  test('describes itself and its flags in its help', async () => {
    const { stdout } = await run(['--help']);
    expect(stdout).toContain('Usage: flotilla-control-plane [flags]');
    expect(stdout).toContain('A Kubernetes-compatible API server in one process');
    const flags = ['data-dir', 'durability', 'kubeconfig-out', 'bind-address', 'port', 'hosts', 'crds', 'simulate'];
    for (const flag of flags) expect(stdout).toContain(`--${flag}`);
  });

  test('keeps nothing without a directory, not even the kubeconfig that only its owner may read', async () => {
    const { child, kubeconfig } = await start([]);
    expect((await stat(kubeconfig)).mode & 0o777).toBe(0o600);
    await end(child, 'SIGTERM');
    expect(child.exitCode).toBe(0);
    await expect(stat(kubeconfig)).rejects.toThrow('ENOENT');
  });

  test('names the kubeconfig by its whole path, for terminals in other directories', async () => {
    await using directory = await temporaryDirectory();
    const { child, kubeconfig } = await start(['--data-dir', 'state'], directory.path);
    await end(child, 'SIGTERM');
    expect(kubeconfig).toBe(join(directory.path, 'state', 'kubeconfig.yaml'));
  });

  test('refuses a directory that another process has, with the way out', async () => {
    await using directory = await temporaryDirectory();
    const { child } = await start(['--data-dir', directory.path]);
    const second = run(['--data-dir', directory.path, '--port=0', '--logging-format=json']);
    await expect(second).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/is in use by another control plane.*Stop the other process/s),
    });
    await end(child, 'SIGTERM');
  });

  test('loses no acknowledged write when it is killed in a storm of writes', async () => {
    await using directory = await temporaryDirectory();
    const { child, kubeconfig } = await start(['--data-dir', directory.path]);
    const acknowledged: string[] = [];
    await withClient(kubeconfig, async (client) => {
      const maps = client.resource(configMaps);
      let next = 0;
      const write = async (): Promise<void> => {
        for (;;) {
          const name = `storm-${next++}`;
          await maps.create({ metadata: { namespace: 'default', name } });
          acknowledged.push(name);
          if (acknowledged.length === 300) child.kill('SIGKILL');
        }
      };
      await Promise.allSettled(Array.from({ length: 8 }, write));
    });
    expect(child.signalCode ?? (await once(child, 'exit'))[1]).toBe('SIGKILL');
    expect(await readdir(directory.path)).toContain('state.db-wal');

    const again = await start(['--data-dir', directory.path]);
    const { items } = await withClient(again.kubeconfig, (client) =>
      client.resource(configMaps).list({ namespace: 'default' }),
    );
    await end(again.child, 'SIGTERM');
    const kept = new Set(items.map(({ metadata }) => metadata?.name));
    expect(acknowledged.length).toBeGreaterThanOrEqual(300);
    expect(acknowledged.filter((name) => !kept.has(name))).toEqual([]);
  });
});
