import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { clusterManagers, klusterlets } from '@flotilla/api-types';
import { type Cluster, startCluster } from '@flotilla/envtest';
import { clusterRoles, deployments, secrets } from '@flotilla/kube/kinds';
import { kubeconfigFor, writeKubeconfig } from '@flotilla/kube/kubeconfig';
import { listAllObjects } from '@flotilla/kube/testing/internal';
import type { KubeObject } from '@flotilla/schema';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { helmProgram, helmVersions } from './helm.ts';
import { type ChartValues, rendered } from './release.ts';
import { valueTable } from './value-table.ts';

const run = promisify(execFile);
/** Helm that is compiled plainly takes clusters for old ones. */
const kubeVersion = ['--kube-version', '1.36.0'];
const namespace = 'open-cluster-management';
const directoryOf = (name: string) => fileURLToPath(new URL(`../../deploy/${name}`, import.meta.url));
const chartOf = (chart: ChartValues['chart']) => directoryOf(`charts/${chart}`);

const keyOf = ({ kind, metadata }: KubeObject) => `${kind} ${metadata?.namespace ?? ''}/${metadata?.name}`;
const sorted = (objects: readonly KubeObject[]) =>
  JSON.parse(JSON.stringify(Object.fromEntries(objects.map((object) => [keyOf(object), object] as const).sort())));

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'flotilla-charts-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describe.each(helmVersions)('the charts by Helm %s', { timeout: 60_000 }, (version) => {
  let helm: (...args: string[]) => Promise<{ stdout: string; stderr: string }>;
  beforeAll(async () => {
    const program = await helmProgram(version);
    // Nothing of the user's own Helm is read or written.
    const home = { HELM_CACHE_HOME: directory, HELM_CONFIG_HOME: directory, HELM_DATA_HOME: directory };
    helm = (...args) => run(program, args, { env: { ...process.env, ...home }, maxBuffer: 1 << 26 });
  });

  it.each(['cluster-manager', 'klusterlet'] as const)('%s passes its linter and is packaged', async (chart) => {
    const { stdout } = await helm('lint', '--strict', chartOf(chart));
    expect(stdout).toContain('0 chart(s) failed');
    const packaged = await helm('package', chartOf(chart), '--destination', directory);
    const archive = /saved it to: (\S+\.tgz)/.exec(packaged.stdout)?.[1] ?? '';
    expect((await helm('show', 'chart', archive)).stdout).toContain(`name: ${chart}`);
  });

  it.each(Object.entries(valueTable))(
    '[cli B01, B02, B03, B04] give what the command line installs: %s',
    async (_, given) => {
      const file = join(directory, 'values.json');
      await writeFile(file, JSON.stringify(given.values));
      const { stdout } = await helm(
        'template',
        'x',
        chartOf(given.chart),
        '-n',
        namespace,
        '--include-crds',
        // Jobs that run when a chart is uninstalled; the command line removes objects itself.
        '--no-hooks',
        ...kubeVersion,
        '-f',
        file,
      );
      const objects = parseAllDocuments(stdout).flatMap((document) => (document.contents ? [document.toJS()] : []));
      expect(sorted(objects)).toEqual(sorted(await rendered(given)));
    },
  );

  it('refuse a value that they do not know, and name it', async () => {
    const refused = helm('template', 'x', chartOf('klusterlet'), ...kubeVersion, '--set', 'klusterlet.clustername=c1');
    await expect(refused).rejects.toThrow(/clustername/);
  });

  it('refuse an agent without the name of its cluster, and say how to set it', async () => {
    const refused = helm('template', 'x', chartOf('klusterlet'), ...kubeVersion);
    await expect(refused).rejects.toThrow(/klusterlet\.clusterName is required.*--set klusterlet\.clusterName=/);
  });
});

describe('on a real API server', { timeout: 120_000 }, () => {
  let cluster: Cluster;
  let kubeconfig: string;
  let before: string[];
  beforeAll(async () => {
    cluster = await startCluster({ crds: [] });
    kubeconfig = join(directory, 'kubeconfig.yaml');
    await writeKubeconfig(kubeconfig, kubeconfigFor(cluster.access, { cluster: 'c', user: 'admin', context: 'c' }));
    before = await listAllObjects(cluster.client);
  });
  afterAll(() => cluster?.stop());

  it.each(helmVersions)(
    'Helm %s installs, upgrades and removes a hub, and keeps its bootstrap token',
    async (version) => {
      const program = await helmProgram(version);
      const env = {
        ...process.env,
        HELM_CACHE_HOME: directory,
        HELM_CONFIG_HOME: directory,
        HELM_DATA_HOME: directory,
      };
      const helm = (...args: string[]) => run(program, ['--kubeconfig', kubeconfig, '-n', namespace, ...args], { env });
      const values = ['--set', 'createBootstrapToken=true,createBootstrapSA=true'];
      await helm('install', 'hub', chartOf('cluster-manager'), '--create-namespace', ...values);
      expect(await cluster.client.resource(clusterManagers).find('cluster-manager')).toMatchObject({
        spec: { deployOption: { mode: 'Default' } },
      });
      const token = async () => (await cluster.client.resource(secrets).get('kube-system/bootstrap-token-ocmhub')).data;
      const first = await token();
      expect(Buffer.from(first?.['token-secret'] ?? '', 'base64').toString()).toMatch(/^[a-z0-9]{16}$/);
      expect(Date.parse(Buffer.from(first?.expiration ?? '', 'base64').toString())).toBeGreaterThan(Date.now());
      await helm('upgrade', 'hub', chartOf('cluster-manager'), ...values, '--set', 'replicaCount=1');
      expect(await token()).toEqual(first);
      const deployment = await cluster.client.resource(deployments).get(`${namespace}/cluster-manager`);
      expect(deployment.spec?.replicas).toBe(1);
      // No node runs the Job that waits for the operator, which does not run either.
      await helm('uninstall', 'hub', '--wait', '--no-hooks');
      // Helm keeps definitions and namespaces.
      await cluster.kubectl(['delete', 'crd', 'clustermanagers.operator.open-cluster-management.io']);
      await cluster.kubectl(['delete', 'namespace', namespace, '--timeout=30s']);
      await expect.poll(() => listAllObjects(cluster.client), { timeout: 30_000 }).toEqual(before);
    },
  );

  it('kubectl apply -k installs both operators, with what the API server accepts and a role that it can grant', async () => {
    for (const name of ['cluster-manager', 'klusterlet']) {
      await cluster.kubectl(['apply', '--validate=strict', '-k', directoryOf(name)]);
      const crd = `crd/${name === 'klusterlet' ? 'klusterlets' : 'clustermanagers'}.operator.open-cluster-management.io`;
      await cluster.kubectl(['wait', '--for=condition=Established', crd, '--timeout=30s']);
    }
    const files = {
      hub: join(directoryOf('cluster-manager'), 'cluster-manager.yaml'),
      agent: join(directory, 'agent.yaml'),
    };
    const agent = await readFile(join(directoryOf('klusterlet'), 'klusterlet.yaml'), 'utf8');
    await writeFile(files.agent, agent);
    await expect(cluster.kubectl(['apply', '-f', files.agent])).rejects.toThrow('spec.clusterName');
    await writeFile(files.agent, agent.replaceAll('CLUSTER_NAME', 'cluster1'));
    for (const file of Object.values(files)) await cluster.kubectl(['apply', '--validate=strict', '-f', file]);
    expect(await cluster.client.resource(klusterlets).find('klusterlet')).toBeDefined();
    expect((await cluster.client.resource(clusterRoles).get('klusterlet')).rules?.length).toBeGreaterThan(10);
  });
});
