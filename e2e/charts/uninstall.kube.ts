import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { clusterManagers, klusterlets, NamespaceName } from '@flotilla/api-types';
import { deployments, jobs } from '@flotilla/kube/kinds';
import { kubeconfigFor, writeKubeconfig } from '@flotilla/kube/kubeconfig';
import { listAllObjects } from '@flotilla/kube/testing/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OperatedCluster, patience, startOperatedCluster } from '../operator/operated-cluster.ts';
import { helmProgram } from './helm.ts';

const run = promisify(execFile);
const chartOf = (name: string) => fileURLToPath(new URL(`../../deploy/charts/${name}`, import.meta.url));

/** What stays when a chart is uninstalled: definitions and the namespace, which Helm keeps, and what Kubernetes itself writes. */
const isKept = (object: string) =>
  /^(CustomResourceDefinition|APIService|Namespace|Event|Lease|ConfigMap|ServiceAccount|EndpointSlice)\b/.test(object);

describe('a chart that is uninstalled with Helm', () => {
  let cluster: OperatedCluster;
  let directory: string;
  let helm: (...args: string[]) => Promise<unknown>;
  beforeAll(async () => {
    const program = await helmProgram('v4');
    directory = await mkdtemp(join(tmpdir(), 'flotilla-uninstall-'));
    cluster = await startOperatedCluster('kube-apiserver', { operator: false });
    const kubeconfig = join(directory, 'kubeconfig.yaml');
    await writeKubeconfig(
      kubeconfig,
      kubeconfigFor(cluster.server.access, { cluster: 'c', user: 'admin', context: 'c' }),
    );
    const home = { HELM_CACHE_HOME: directory, HELM_CONFIG_HOME: directory, HELM_DATA_HOME: directory };
    const options = { env: { ...process.env, ...home } };
    helm = (...args) => run(program, ['--kubeconfig', kubeconfig, '-n', NamespaceName.Operator, ...args], options);
  }, 120_000);
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
    if (directory) await rm(directory, { recursive: true, force: true });
  });

  it('removes the hub before its operator, and leaves nothing that waits for it', { timeout: 300_000 }, async () => {
    const { client } = cluster.server;
    const before = await listAllObjects(client);
    await helm('install', 'hub', chartOf('cluster-manager'), '--create-namespace', '--set', 'replicaCount=1');
    await expect.poll(() => cluster.condition('Applied'), patience).toBe('True ClusterManagerApplied');
    // From the release of the operator, and not `latest`.
    const [container] =
      (await client.resource(deployments).get('open-cluster-management-hub/cluster-manager-work-webhook')).spec
        ?.template.spec?.containers ?? [];
    expect(container?.image).toMatch(/^flotilla\/hub:v\d/);
    await helm('uninstall', 'hub', '--wait');
    expect(await client.resource(clusterManagers).find('cluster-manager')).toBeUndefined();
    expect((await client.resource(jobs).list({ namespace: NamespaceName.Operator })).items).toEqual([]);
    const left = async () => (await listAllObjects(client)).filter((one) => !before.includes(one) && !isKept(one));
    await expect.poll(left, patience).toEqual([]);
  });

  it('removes an agent that never joined before its operator', { timeout: 300_000 }, async () => {
    const { client } = cluster.server;
    await helm('install', 'agent', chartOf('klusterlet'), '--create-namespace', '--set', 'klusterlet.clusterName=c1');
    const finalizers = async () => (await client.resource(klusterlets).find('klusterlet'))?.metadata.finalizers ?? [];
    await expect.poll(finalizers, patience).not.toEqual([]);
    await helm('uninstall', 'agent', '--wait');
    expect(await client.resource(klusterlets).find('klusterlet')).toBeUndefined();
  });
});
