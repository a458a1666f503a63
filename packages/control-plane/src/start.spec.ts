import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createKubeClient, KubeError, kubeconfigAccess, realClock, staticAccess } from '@flotilla/kube';
import { configMaps, pods } from '@flotilla/kube/kinds';
import { FakeClock } from '@flotilla/kube/testing';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../fixtures/temporary-directory.ts';
import { startControlPlane } from './start.ts';

const hello = { metadata: { namespace: 'default', name: 'hello' }, data: { who: 'world' } };

describe('a control plane in memory', () => {
  test('serves the same objects over HTTPS and without a socket', async () => {
    await using plane = await startControlPlane();
    await plane.client.resource(configMaps).create(hello);
    const client = createKubeClient({ access: staticAccess(plane.access) });
    const read = await client.resource(configMaps).get('default/hello');
    await client.close();
    expect(read).toEqual(await plane.client.resource(configMaps).get('default/hello'));
    expect(plane.kubeconfigPath).toBeUndefined();
    expect(plane.kubeconfig).toContain(plane.server);
  });

  test('is ready when it has started, and says what that means', async () => {
    await using plane = await startControlPlane({ listen: false });
    const ready = async () => (await plane.client.transport.request({ method: 'GET', path: '/readyz?verbose' })).body;
    await expect.poll(ready).toBe('[+]ping ok\n[+]storage ok\n[+]controllers ok\nreadyz check passed\n');
    expect(plane.server).toBe('');
  });

  test('restricts another user to their permissions', async () => {
    await using plane = await startControlPlane({ listen: false });
    const unprivileged = plane.clientOf({ name: 'unprivileged', groups: ['system:authenticated'] });
    await expect(unprivileged.resource(configMaps).list()).rejects.toMatchObject({ code: 'Forbidden' });
  });

  test('runs workloads of the given speed if asked to', async () => {
    const latency = { startMs: 0, stopMs: 0, jobMs: 0 };
    await using plane = await startControlPlane({ listen: false, simulator: { nodes: 2, latency } });
    const handle = plane.client.resource(pods);
    const containers = [{ name: 'main', image: 'main' }];
    await expect
      .poll(() =>
        handle.create({ metadata: { namespace: 'default', name: 'web' }, spec: { containers } }).catch(String),
      )
      .toMatchObject({ kind: 'Pod' });
    await expect.poll(async () => (await handle.get('default/web')).status?.phase).toBe('Running');
  });

  test('ends watches when it is stopped', async () => {
    const plane = await startControlPlane();
    const client = createKubeClient({ access: staticAccess(plane.access) });
    await plane.client.resource(configMaps).create(hello);
    const watches = [plane.client, client].map((each) => {
      const { promise: added, resolve: onAdded } = Promise.withResolvers<void>();
      const follow = async () => {
        for await (const event of each.resource(configMaps).watch({ resourceVersion: '0' })) {
          if (event.type === 'ADDED') onAdded();
        }
      };
      return { added, ended: follow() };
    });
    await Promise.all(watches.map(({ added }) => added));
    await Promise.all([plane.stop(), Promise.allSettled(watches.map(({ ended }) => ended))]);
    await client.close();
    await expect(plane.client.resource(configMaps).list()).rejects.toBeInstanceOf(KubeError);
  });

  test('leaves nothing behind that keeps its process alive', async () => {
    const program = new URL('../fixtures/start-and-stop.ts', import.meta.url).pathname;
    const { stdout } = await promisify(execFile)(process.execPath, [program], { timeout: 25_000 });
    expect(stdout).toBe('stopped');
  });

  test('names the port that it cannot have', async () => {
    await using taken = createServer();
    const port = await new Promise<number>((resolve) => {
      taken.listen(0, '127.0.0.1', () => {
        const address = taken.address();
        resolve(typeof address === 'object' ? (address?.port ?? 0) : 0);
      });
    });
    await expect(startControlPlane({ port })).rejects.toThrow(
      `127.0.0.1:${port} cannot be listened on: the port is in use`,
    );
  });
});

describe('a control plane in a directory', () => {
  test('comes back with its objects, its authority and the same kubeconfig', async () => {
    await using directory = await temporaryDirectory();
    const before = await startControlPlane({ dataDirectory: directory.path });
    const created = await before.client.resource(configMaps).create(hello);
    const port = Number(new URL(before.server).port);
    await before.stop();

    await using after = await startControlPlane({ dataDirectory: directory.path, port });
    expect(after.ca).toBe(before.ca);
    expect(after.kubeconfig).toBe(before.kubeconfig);
    const access = kubeconfigAccess({ files: join(directory.path, 'kubeconfig.yaml'), clock: realClock });
    const client = createKubeClient({ access });
    expect(await client.resource(configMaps).get('default/hello')).toEqual(created);
    const next = await client.resource(configMaps).create({ metadata: { namespace: 'default', name: 'next' } });
    expect(Number(next.metadata?.resourceVersion)).toBeGreaterThan(Number(created.metadata?.resourceVersion));
    await client.close();
    access.close();
  });

  test("renews the administrator's certificate in its access and in the kubeconfig on disk", async () => {
    await using directory = await temporaryDirectory();
    const clock = new FakeClock();
    await using plane = await startControlPlane({ dataDirectory: directory.path, clock });
    const before = plane.access.clientCertificate?.certificate;
    const file = join(directory.path, 'kubeconfig.yaml');
    expect(await readFile(file, 'utf8')).toBe(plane.kubeconfig);
    clock.jump(245 * 24 * 60 * 60 * 1000);
    await clock.advance(12 * 60 * 60 * 1000);
    await expect.poll(() => plane.access.clientCertificate?.certificate).not.toBe(before);
    await expect.poll(() => readFile(file, 'utf8')).toBe(plane.kubeconfig);
    expect(plane.kubeconfig).toContain(
      Buffer.from(plane.access.clientCertificate?.certificate ?? '').toString('base64'),
    );
  });

  test('publishes a renewed authority where clients and aggregated API servers look for it', async () => {
    const clock = new FakeClock();
    await using plane = await startControlPlane({ clock });
    const maps = plane.client.resource(configMaps);
    const published = async () => [
      (await maps.get('default/kube-root-ca.crt')).data?.['ca.crt'],
      (await maps.get('kube-system/extension-apiserver-authentication')).data?.['client-ca-file'],
    ];
    const before = plane.ca;
    await expect.poll(published).toEqual([before, before]);
    clock.jump(9 * 365 * 24 * 60 * 60 * 1000);
    await clock.advance(12 * 60 * 60 * 1000);
    await expect.poll(() => plane.ca).not.toBe(before);
    await expect.poll(published).toEqual([plane.ca, plane.ca]);
  });

  test('keeps what is secret from other users of the machine', async () => {
    await using directory = await temporaryDirectory();
    const plane = await startControlPlane({ dataDirectory: join(directory.path, 'data') });
    await plane.stop();
    const mode = async (path: string) => (await stat(join(directory.path, 'data', path))).mode & 0o777;
    expect(
      await Promise.all(['.', 'kubeconfig.yaml', 'state.db', 'pki', 'pki/ca.key', 'pki/sa.key'].map(mode)),
    ).toEqual([0o700, 0o600, 0o600, 0o700, 0o600, 0o600]);
  });

  test('is not ready while its disk takes no more, and lives on', async () => {
    await using directory = await temporaryDirectory();
    const program = new URL('../fixtures/fill-disk.ts', import.meta.url).pathname;
    // A write beyond the limit fails as on a full disk, if the signal for it is ignored.
    const limited = 'trap "" XFSZ; ulimit -f 6000; exec "$@"';
    const command = ['-c', limited, 'sh', process.execPath, program, directory.path];
    const { stdout } = await promisify(execFile)('sh', command, { timeout: 25_000 });
    expect(stdout).toMatch(/the write to .*state.db failed: .*\n.*GET \/readyz answered 500/);
  });

  test('is refused to a second control plane, which leaves the first alone', async () => {
    await using directory = await temporaryDirectory();
    await using first = await startControlPlane({ dataDirectory: directory.path });
    await expect(startControlPlane({ dataDirectory: directory.path })).rejects.toMatchObject({
      code: 'Config',
      message: expect.stringContaining('state.db is in use by another control plane'),
      hint: 'Stop the other process, or give this one its own data directory.',
    });
    await expect(first.client.resource(configMaps).create(hello)).resolves.toMatchObject(hello);
  });
});
