import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const program = fileURLToPath(new URL('../../apps/cli/dist/flotilla.js', import.meta.url));
const flotilla = async (...args: string[]) =>
  (await promisify(execFile)(process.execPath, [program, ...args], { timeout: 110_000 })).stdout;

/** A directory for one fleet, which is ended and removed in any case. */
async function fleetDirectory(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'flotilla-e2e-'));
  return {
    path,
    async [Symbol.asyncDispose]() {
      await flotilla('down', '--data-dir', path);
      await rm(path, { recursive: true, force: true });
    },
  };
}

const pod = `apiVersion: v1
kind: Pod
metadata: {name: pod, namespace: default}
spec: {containers: [{name: hello, image: busybox, command: [sh, -c, sleep 1000000]}]}
`;

/** Gives a pod to the first cluster, looks at it from the hub and from the cluster, and takes it away. */
async function worksOnce(directory: string, hub: readonly string[]): Promise<void> {
  const file = join(directory, 'pod.yaml');
  await writeFile(file, pod);
  const create = ['create', 'work', 'mine', '-f', file, '--clusters', 'cluster1', '--feedback', '--wait', ...hub];
  expect(await flotilla(...create)).toBe('create work mine in cluster cluster1\n');
  expect(await flotilla('get', 'works', 'mine', ...hub)).toMatch(/^mine +cluster1 +1 +True +True/m);
  const explained = await flotilla('explain', 'work', 'mine', ...hub);
  expect(explained).toContain('Work mine on cluster1: its manifest is applied, and the object exists');
  expect(explained).toMatch(/ {4}object +is there, made \d+s ago, goes with the work/);
  expect(await flotilla('delete', 'work', 'mine', '-c', 'cluster1', ...hub)).toBe(
    'work mine in cluster cluster1 is deleted\n',
  );
  expect(await flotilla('get', 'works', '-o', 'name', ...hub)).toBe('cluster1/hello\n');
}

describe.each([
  { servers: 'embedded API servers', flags: [], clusters: ['cluster1', 'cluster2'], waiting: 'cluster3' },
  { servers: 'real API servers', flags: ['--kube'], clusters: ['cluster1'], waiting: 'cluster2' },
])('flotilla up on $servers', ({ flags, clusters, waiting }) => {
  it('joins clusters, applies works, lets the user accept another and take one away, and goes on after a restart', {
    timeout: 240_000,
  }, async () => {
    await using directory = await fleetDirectory();
    const kubeconfig = (name: string) => join(directory.path, 'kubeconfigs', `${name}.yaml`);
    const hub = ['--kubeconfig', kubeconfig('hub')];
    const up = ['up', '--detach', '--data-dir', directory.path, '--clusters', String(clusters.length), ...flags];

    const story = await flotilla(...up);
    for (const name of clusters) {
      expect(story).toMatch(new RegExp(`${name} asks to join[^]*${name} is accepted[^]*${name} is Available`));
      expect(story).toMatch(new RegExp(`^${name} +true +True +True`, 'm'));
    }
    expect(story).toMatch(new RegExp(`^${waiting} +false`, 'm'));
    expect((await stat(kubeconfig('hub'))).mode & 0o777).toBe(0o600);
    expect(story).toContain('cluster1 has applied work hello');
    expect(story).toMatch(/^hello +cluster1 +2 +True +True/m);

    await worksOnce(directory.path, hub);

    await flotilla('accept', '--clusters', waiting, ...hub);
    const table = () => flotilla('get', 'clusters', ...hub);
    await expect.poll(table, { timeout: 30_000 }).toMatch(new RegExp(`^${waiting} +true +True +True`, 'm'));

    const removed = await flotilla(
      ...[
        'unjoin',
        '--cluster-name',
        waiting,
        '--kubeconfig',
        kubeconfig(waiting),
        '--hub-kubeconfig',
        kubeconfig('hub'),
      ],
    );
    expect(removed).toContain('Removed Klusterlet klusterlet');
    expect(await table()).not.toContain(waiting);

    const requests = () => flotilla('get', 'csr', '--clusters', clusters.join(','), ...hub);
    const before = (await requests()).split('\n').length;
    await flotilla('down', '--data-dir', directory.path);
    await expect(table()).rejects.toThrow('Unavailable');
    await flotilla(...up);
    expect(await flotilla('get', 'works', ...hub)).toMatch(/^hello +cluster1 +2 +True +True/m);
    for (const name of clusters) expect(await table()).toMatch(new RegExp(`^${name} +true +True +True`, 'm'));
    expect((await requests()).split('\n')).toHaveLength(before);
  });
});
