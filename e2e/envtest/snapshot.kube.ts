import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cluster, ensureBinaries, flotillaCrds, type StartClusterOptions, startCluster } from '@flotilla/envtest';
import type { KubeObject } from '@flotilla/schema';
import { afterAll, beforeAll, expect, test } from 'vitest';

// A cache of its own, which is empty at first: other suites use that of the machine at the same time.
const cache = mkdtempSync(join(tmpdir(), 'envtest-cache-'));
const snapshots = join(cache, 'flotilla', 'snapshots');
const stack = new AsyncDisposableStack();
stack.defer(() => rmSync(cache, { recursive: true }));

let start: (options?: StartClusterOptions) => Promise<Cluster>;
/** Starts with an empty cache, and then twice with what the first one left. */
let clusters: { readonly first: Cluster; readonly second: Cluster; readonly third: Cluster };

beforeAll(async () => {
  const { directory } = await ensureBinaries();
  const env = { ...process.env, KUBEBUILDER_ASSETS: directory, XDG_CACHE_HOME: cache };
  const crds = await flotillaCrds();
  start = (options) => startCluster({ crds, binaries: { env }, ...options });
  const first = stack.use(await start());
  const [second, third] = await Promise.all([start(), start({ audit: true, controllerManager: false })]);
  clusters = { first, second: stack.use(second), third: stack.use(third) };
});
afterAll(() => stack.disposeAsync());

const kinds = 'customresourcedefinitions,clusterroles,clusterrolebindings,apiservices,priorityclasses,flowschemas,';
const list = async (cluster: Cluster, what = `${kinds}namespaces,roles,rolebindings`): Promise<KubeObject[]> =>
  JSON.parse((await cluster.kubectl(['get', what, '-A', '-o', 'json'])).stdout).items;
const nameOf = ({ kind, metadata }: KubeObject) => `${kind} ${metadata?.namespace ?? ''}/${metadata?.name}`;
const uidsOf = async (cluster: Cluster) => (await list(cluster)).map(({ metadata }) => metadata?.uid);

test('starts of the same kind share one snapshot, which holds no keys and is private', () => {
  const [name = '', ...others] = readdirSync(snapshots);
  expect(others).toEqual([]);
  expect(statSync(snapshots).mode & 0o777).toBe(0o700);
  expect(statSync(join(snapshots, name)).mode & 0o777).toBe(0o600);
  const keys = JSON.parse(readFileSync(join(snapshots, name), 'utf8').split('\n')[1] ?? '').map(
    ([key]: [string]) => key,
  );
  expect(keys.filter((key: string) => /secrets|configmaps|namespaces|serviceaccounts|leases/.test(key))).toEqual([]);
});

test('a start from the snapshot installs no CRDs, and all are served', async () => {
  const { third } = clusters;
  const crdWrites = (await third.auditEvents()).filter(
    ({ verb, objectRef }) => verb === 'patch' && objectRef?.resource === 'customresourcedefinitions',
  );
  expect(crdWrites).toEqual([]);
  expect((await third.kubectl(['get', 'managedclusters,manifestworks', '-A'])).stdout).toBe('');
  const established = await third.kubectl(['wait', 'crd', '--all', '--for=condition=Established', '--timeout=0']);
  expect(established.stdout.trim().split('\n')).toHaveLength((await flotillaCrds()).length);
});

test('it has the same objects as the start that made the snapshot, as they were', async () => {
  const content = async (cluster: Cluster) =>
    (await list(cluster)).map(({ metadata, ...rest }) => {
      const {
        uid: _uid,
        resourceVersion: _version,
        creationTimestamp: _time,
        managedFields: _fields,
        ...meta
      } = metadata ?? {};
      return { ...rest, metadata: meta };
    });
  const [first, second] = [await content(clusters.first), await content(clusters.second)];
  expect(second.map(nameOf)).toEqual(first.map(nameOf));
  const withoutTimes = (objects: object[]) => JSON.stringify(objects).replaceAll(/\d{4}-\d\d-\d\dT[\d:]+Z/g, '');
  expect(withoutTimes(second)).toBe(withoutTimes(first));
});

test('no two of its objects have the same resource version, as in any other cluster', async () => {
  const versions = (await list(clusters.second)).map(({ metadata }) => metadata?.resourceVersion);
  expect(new Set(versions).size).toBe(versions.length);
});

test('no two clusters have a uid in common, neither that of kube-system nor any other', async () => {
  const uids = (await Promise.all(Object.values(clusters).map(uidsOf))).flat();
  expect(uids.length).toBeGreaterThan(300);
  expect(new Set(uids).size).toBe(uids.length);
});

test('no two clusters accept the certificates or tokens of one another', async () => {
  const { second, third } = clusters;
  expect(second.ca).not.toBe(third.ca);
  const { token } = await second.createServiceAccountToken('default/robot');
  const asRobot = (cluster: Cluster) =>
    cluster.kubectl(
      ['auth', 'whoami', '--token', token, '--server', cluster.server, '--kubeconfig', '/dev/null'].concat(
        '--insecure-skip-tls-verify',
      ),
    );
  expect((await asRobot(second)).stdout).toContain('system:serviceaccount:default:robot');
  await expect(asRobot(third)).rejects.toThrow(/Unauthorized|must be logged in/);
  const insecure = ['get', 'ns', '--server', third.server, '--insecure-skip-tls-verify', '--certificate-authority='];
  await expect(third.kubectl(insecure, { kubeconfigPath: second.kubeconfigPath })).rejects.toThrow(
    /Unauthorized|must be logged in/,
  );
  const published = (await list(second, 'configmaps')).filter(({ metadata }) => metadata?.name === 'kube-root-ca.crt');
  expect(published.length).toBeGreaterThan(0);
  for (const configMap of published) expect(configMap).toMatchObject({ data: { 'ca.crt': second.ca } });
});

test('what is written in one cluster is seen in no other and in no later one', async () => {
  const { second, third } = clusters;
  await second.kubectl(['create', 'clusterrole', 'only-here', '--verb=get', '--resource=pods']);
  await second.kubectl(['delete', 'crd', 'manifestworks.work.open-cluster-management.io']);
  await using later = await start({ controllerManager: false });
  for (const cluster of [third, later]) {
    const names = (await list(cluster)).map(nameOf);
    expect(names).toContain('CustomResourceDefinition /manifestworks.work.open-cluster-management.io');
    expect(names).not.toContain('ClusterRole /only-here');
  }
});

test('a damaged snapshot is made again', async () => {
  const [name = ''] = readdirSync(snapshots);
  const path = join(snapshots, name);
  writeFileSync(path, readFileSync(path, 'utf8').slice(0, -1000));
  const { size } = statSync(path);
  await using again = await start({ controllerManager: false });
  expect((await again.kubectl(['get', 'managedclusters'])).stdout).toBe('');
  expect(readdirSync(snapshots)).toEqual([name]);
  expect(statSync(path).size).toBeGreaterThan(size);
});

test.each<[string, StartClusterOptions]>([
  ['is not wanted', { snapshot: false }],
  ['could differ by a flag', { apiServerFlags: { 'runtime-config': 'api/beta=true' } }],
])('a start for which a snapshot %s leaves none', async (_what, options) => {
  const before = readdirSync(snapshots);
  await using _cluster = await start({ controllerManager: false, crds: [], ...options });
  expect(readdirSync(snapshots)).toEqual(before);
});
