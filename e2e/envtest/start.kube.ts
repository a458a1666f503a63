import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { flotillaCrds, startCluster } from '@flotilla/envtest';
import { KubeError } from '@flotilla/kube';
import { configMaps, namespaces, serviceAccounts } from '@flotilla/kube/kinds';
import { expect, test } from 'vitest';

/** Directories of clusters of this process: other suites start clusters at the same time. */
const leftDirectories = () =>
  readdirSync(tmpdir()).filter((name) => name.startsWith('flotilla-envtest-') && isOwn(name));
const isOwn = (name: string): boolean => {
  try {
    return JSON.parse(readFileSync(join(tmpdir(), name, 'owner.json'), 'utf8')).pid === process.pid;
  } catch {
    return false;
  }
};

test('a cluster is complete, private, and gone at the end of its scope', async () => {
  let directory: string;
  {
    await using cluster = await startCluster();
    directory = cluster.directory;
    const names = (await cluster.client.resource(namespaces).list()).items.map(({ metadata }) => metadata?.name);
    expect(names).toEqual(expect.arrayContaining(['default', 'kube-system', 'kube-public']));
    expect(await cluster.client.resource(serviceAccounts).get('default/default')).toBeDefined();
    expect((await cluster.kubectl(['version'])).stdout).toMatch(/Server Version: v1\.\d+\.\d+/);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(statSync(cluster.kubeconfigPath).mode & 0o777).toBe(0o600);

    const anonymous = httpsRequest(`${cluster.server}/api/v1/namespaces`, { ca: cluster.ca, agent: false });
    const answered = once(anonymous, 'response');
    anonymous.end();
    const [response] = await answered;
    expect(response.statusCode).toBe(403);
    response.destroy();
  }
  expect(existsSync(directory)).toBe(false);
});

test('two clusters run at once and know nothing of each other', async () => {
  const [one, two] = await Promise.all([
    startCluster({ controllerManager: false }),
    startCluster({ controllerManager: false }),
  ]);
  await using _one = one;
  await using _two = two;
  expect(one.server).not.toBe(two.server);
  await one.client.resource(namespaces).create({ metadata: { name: 'only-here' } });
  expect(await two.client.resource(namespaces).find('only-here')).toBeUndefined();
  const otherCluster = two.kubectl(['get', 'ns', '--server', one.server], { kubeconfigPath: two.kubeconfigPath });
  await expect(otherCluster).rejects.toThrow(/certificate signed by unknown authority/);
});

test('CRDs are served when the start resolves', async () => {
  const crds = await flotillaCrds();
  await using cluster = await startCluster({ controllerManager: false, crds });
  const { stdout } = await cluster.kubectl(['get', 'managedclusters,manifestworks', '-A']);
  expect(stdout).toBe('');
  await expect(cluster.installCrds([{ kind: 'Pod' }])).rejects.toThrow('InvalidOption: ');
  await cluster.installCrds(crds);
});

test('requests can be counted by the audit log', async () => {
  await using cluster = await startCluster({ controllerManager: false, audit: true });
  const handle = cluster.client.resource(configMaps);
  await handle.create({ metadata: { name: 'counted', namespace: 'default' } });
  await handle.get('default/counted');
  await handle.get('default/counted');
  const verbs = (await cluster.auditEvents())
    .filter(({ objectRef }) => objectRef?.name === 'counted' || objectRef?.resource === 'configmaps')
    .filter(({ userAgent }) => userAgent?.startsWith('flotilla-envtest'))
    .map(({ verb, responseStatus }) => `${verb} ${responseStatus?.code}`);
  expect(verbs).toEqual(['create 201', 'get 200', 'get 200']);
});

test('flags can be replaced, and one that is wrong fails the start with the words of the component', async () => {
  const before = leftDirectories();
  const start = startCluster({ controllerManager: false, apiServerFlags: { 'no-such-flag': 'x' } });
  await expect(start).rejects.toThrow(/StartFailed: kube-apiserver ended with code 1 .*unknown flag: --no-such-flag/s);
  expect(leftDirectories()).toEqual(before);
});

test('a port that is taken is named', async () => {
  await using _listening = await listenSomewhere();
  const { port } = _listening;
  await expect(startCluster({ controllerManager: false, port })).rejects.toThrow(
    `PortInUse: port ${port} of 127.0.0.1 is taken`,
  );
});

test('a data directory keeps objects and credentials from one start to the next', async () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'envtest-data-'));
  let robot: string;
  {
    await using first = await startCluster({ controllerManager: false, dataDirectory });
    await first.client.resource(namespaces).create({ metadata: { name: 'kept' } });
    robot = (await first.createServiceAccountToken('kept/robot')).token;
    await expect(startCluster({ dataDirectory })).rejects.toThrow(`in use by process ${process.pid}`);
  }
  {
    await using second = await startCluster({ controllerManager: false, dataDirectory });
    expect(await second.client.resource(namespaces).find('kept')).toBeDefined();
    const { stdout } = await second.kubectl(['auth', 'whoami', '--token', robot], {
      kubeconfigPath: (await second.createBootstrapToken()).kubeconfigPath,
    });
    expect(stdout).toContain('system:serviceaccount:kept:robot');
  }
  rmSync(dataDirectory, { recursive: true });
});

test('requests of a client end with the cluster', async () => {
  const cluster = await startCluster({ controllerManager: false });
  const watching = cluster.client.resource(configMaps).watch({ namespace: 'default' })[Symbol.asyncIterator]();
  const next = watching.next().then(
    () => undefined,
    (error: unknown) => error,
  );
  await cluster.stop();
  expect(await next).toBeInstanceOf(KubeError);
});

async function listenSomewhere(): Promise<AsyncDisposable & { port: number }> {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, 'close');
    },
  };
}
