import { klusterlets, managedClusters } from '@flotilla/api-types';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { type ControlPlane, startControlPlane } from '@flotilla/control-plane';
import { importerRules } from '@flotilla/install';
import { createInformers, createKubeClient, findCondition, runControllers, silentLogger } from '@flotilla/kube';
import {
  clusterRoleBindings,
  clusterRoles,
  deployments,
  namespaces,
  secrets,
  serviceAccounts,
} from '@flotilla/kube/kinds';
import { formatKubeconfig, kubeconfigFor } from '@flotilla/kube/kubeconfig';
import { FakeClock } from '@flotilla/kube/testing';
import type { KubeObject, ResourceType } from '@flotilla/schema';
import { NEVER } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { clusterApiClusters } from './cluster-api.policy.ts';
import { importerController } from './importer.controller.ts';
import type { RenderOptions } from './renderers.ts';

const kind = clusterApiClusters([]);
const definition: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'clusters.cluster.x-k8s.io' },
  spec: {
    group: kind.group,
    scope: 'Namespaced',
    names: { kind: kind.kind, plural: kind.plural, singular: 'cluster', listKind: 'ClusterList' },
    versions: [
      {
        name: kind.version,
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
} as KubeObject;
const options: RenderOptions = {
  hubApiserverUrl: 'https://hub.example.com',
  agentImage: '',
  bootstrapServiceaccount: 'open-cluster-management/agent-registration-bootstrap',
  importRenderers: ['render-auto'],
  namespace: 'open-cluster-management-hub',
};
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const user = { name: 'hub', groups: ['system:authenticated'] };

let clock: FakeClock;
let hub: ControlPlane;
let target: ControlPlane;
beforeEach(async () => {
  clock = new FakeClock();
  const crds = customResourceDefinitions().filter(({ metadata }) => metadata.name.startsWith('managedclusters.'));
  hub = await startControlPlane({ listen: false, clock, crds: [...crds, definition] });
  target = await startControlPlane({ listen: false, clock });
  for (const name of ['c1', 'capi', 'open-cluster-management', 'open-cluster-management-hub']) {
    await hub.client.resource(namespaces).create({ metadata: { name } });
  }
  const metadata = { namespace: 'open-cluster-management', name: 'agent-registration-bootstrap' };
  await hub.client.resource(serviceAccounts).create({ metadata });
});
afterEach(async () => {
  await hub.stop();
  await target.stop();
});

/** Runs the importer with its own rights, and `get` on the kubeconfig that it shall read. */
async function startImporter(more: Partial<RenderOptions> = {}) {
  const apiGroup = 'rbac.authorization.k8s.io';
  const clusterRules = [
    {
      apiGroups: ['cluster.open-cluster-management.io'],
      resources: ['managedclusters'],
      verbs: ['get', 'list', 'watch'],
    },
    { apiGroups: ['cluster.open-cluster-management.io'], resources: ['managedclusters/status'], verbs: ['patch'] },
    { apiGroups: [''], resources: ['secrets'], resourceNames: ['c1-kubeconfig'], verbs: ['get'] },
  ];
  await hub.client
    .resource(clusterRoles)
    .create({ metadata: { name: 'hub' }, rules: [...importerRules, ...clusterRules] });
  await hub.client.resource(clusterRoleBindings).create({
    metadata: { name: 'hub' },
    roleRef: { apiGroup, kind: 'ClusterRole', name: 'hub' },
    subjects: [{ apiGroup, kind: 'User', name: 'hub' }],
  });
  const client = hub.clientOf(user);
  const informers = createInformers({ client, clock });
  const end = new AbortController();
  const controller = importerController({
    client,
    informers,
    connect: () =>
      createKubeClient({
        transport: { ...target.client.transport, accessChanged: NEVER, close: async () => {} },
        clock,
      }),
    clusterApi: kind,
    options: { ...options, ...more },
    version: '1.0.0',
    clock,
  });
  const running = runControllers([controller], { signal: end.signal, clock, log: silentLogger });
  return {
    async [Symbol.asyncDispose]() {
      end.abort();
      await running;
      informers.close();
    },
  };
}

const cluster = (name: string, annotations?: Record<string, string>) =>
  hub.client
    .resource(managedClusters)
    .create({ metadata: { name, ...(annotations && { annotations }) }, spec: { hubAcceptsClient: true } });
const provide = (namespace: string, name: string, phase?: string) =>
  hub.client.resource<KubeObject>(kind as ResourceType).apply(
    {
      apiVersion: `${kind.group}/${kind.version}`,
      kind: 'Cluster',
      metadata: { namespace, name },
      ...(phase && { status: { phase } }),
    } as KubeObject,
    { fieldManager: 'test', force: true },
  );
const putKubeconfig = (data: Record<string, string>) =>
  hub.client.resource(secrets).create({ metadata: { namespace: 'c1', name: 'c1-kubeconfig' }, data });
const kubeconfig = { value: base64(formatKubeconfig(kubeconfigFor({ server: 'https://target', origin: 'test' }))) };

/** The condition, once its reason is the given one. */
async function condition(reason: string, name = 'c1') {
  for (let round = 0; round < 400; round++) {
    // A server takes a moment to serve a new kind.
    await clock.advance(25);
    const found = findCondition(
      (await hub.client.resource(managedClusters).get(name)).status?.conditions,
      'ManagedClusterImportSucceeded',
    );
    if (found?.reason === reason) return found;
  }
  throw new Error(`the condition never had the reason ${reason}`);
}

describe('the importer', () => {
  it('installs nothing for a cluster that nobody has accepted, whichever it names', async () => {
    await provide('c1', 'c1', 'Provisioned');
    await putKubeconfig(kubeconfig);
    const annotations = { 'cluster.x-k8s.io/cluster': 'c1/c1' };
    await hub.client.resource(managedClusters).create({ metadata: { name: 'stranger', annotations } });
    await using _importer = await startImporter();
    // One that is accepted is imported, so the other one had its turn too.
    await cluster('c1');
    await condition('ImportSucceed');
    expect((await hub.client.resource(managedClusters).get('stranger')).status?.conditions).toBeUndefined();
    expect(await target.client.resource(klusterlets).get('klusterlet')).toMatchObject({ spec: { clusterName: 'c1' } });
    await hub.client
      .resource(managedClusters)
      .patch('stranger', { type: 'merge', body: { spec: { hubAcceptsClient: true } } });
    await condition('ImportSucceed', 'stranger');
  });

  it('[registration-hub 125] installs a klusterlet when Cluster API has made the cluster and its kubeconfig', async () => {
    await using _importer = await startImporter();
    await cluster('c1');
    await provide('c1', 'c1');
    expect((await condition('KubeConfigNotFound')).status).toBe('False');
    await putKubeconfig(kubeconfig);
    await provide('c1', 'c1', 'Provisioned');
    expect(await condition('ImportSucceed')).toMatchObject({ status: 'True', message: '' });
    const { spec } = await target.client.resource(klusterlets).get('klusterlet');
    expect(spec?.clusterName).toBe('c1');
    const operator = await target.client.resource(deployments).get('open-cluster-management/klusterlet');
    expect(operator.spec?.template.spec?.containers[0]?.image).toBe('flotilla/operator:v1.0.0');
    const secret = await target.client.resource(secrets).get('open-cluster-management-agent/bootstrap-hub-kubeconfig');
    const written = parse(Buffer.from(secret.data?.kubeconfig ?? '', 'base64').toString());
    expect(written).toMatchObject({
      clusters: [{ name: 'hub', cluster: { server: 'https://hub.example.com' } }],
      'current-context': 'bootstrap',
      users: [{ name: 'bootstrap', user: { token: expect.any(String) } }],
    });
    await target.client.resource(klusterlets).delete('klusterlet');
    await provide('c1', 'c1', 'Provisioned');
    await clock.advance(2000);
    expect(await target.client.resource(klusterlets).find('klusterlet')).toBeUndefined();
  });

  it('[registration-hub 117, 124] waits for the Secret, and says what is wrong with it', async () => {
    await using _importer = await startImporter();
    await cluster('c1');
    await provide('c1', 'c1', 'Provisioned');
    await condition('KubeConfigNotFound');
    await putKubeconfig({ other: 'eA==' });
    await clock.advance(61_000);
    expect((await condition('KubeConfigGetFailed')).message).toMatch(
      /^failed to get kubeconfig\. See errors:\n.*has no key value/s,
    );
  });

  it('says what to grant when it may not read the Secret', async () => {
    await using _importer = await startImporter();
    await cluster('c2', { 'cluster.x-k8s.io/cluster': 'capi/cluster1' });
    await provide('capi', 'cluster1', 'Provisioned');
    expect((await condition('KubeConfigGetFailed', 'c2')).message).toMatch(
      /may not read Secret capi\/cluster1-kubeconfig.*a role in capi/s,
    );
  });

  it('[registration-hub 121] says what is wrong with the values of a cluster, and takes those that are right', async () => {
    await using _importer = await startImporter({ importRenderers: ['render-auto', 'render-from-config-secret'] });
    await putKubeconfig(kubeconfig);
    await cluster('c1');
    await provide('c1', 'c1', 'Provisioned');
    expect((await condition('ConfigRendererFailed')).message).toContain(
      'Secret c1/cluster-import-config does not exist',
    );
    const values = 'klusterlet:\n  mode: Default\n';
    await hub.client.resource(secrets).create({
      metadata: { namespace: 'c1', name: 'cluster-import-config' },
      data: { 'values.yaml': base64(values) },
    });
    await clock.advance(60_000);
    await condition('ImportSucceed');
    const { spec } = await target.client.resource(klusterlets).get('klusterlet');
    expect(spec).toMatchObject({ clusterName: 'c1', deployOption: { mode: 'Default' } });
  });

  it('[registration-hub 117] leaves clusters alone that Cluster API does not make', async () => {
    await using _importer = await startImporter();
    await cluster('c1');
    await clock.advance(1000);
    expect((await hub.client.resource(managedClusters).get('c1')).status?.conditions ?? []).toEqual([]);
  });
});
