import { type ClusterManagerSpec, ClusterProxyApi, clusterManagers, NamespaceName } from '@flotilla/api-types';
import type { KubeClient } from '@flotilla/kube';
import {
  apiServices,
  clusterRoles,
  deployments,
  namespaces,
  roleBindings,
  secrets,
  serviceAccounts,
  services,
} from '@flotilla/kube/kinds';
import { listAllObjects } from '@flotilla/kube/testing/internal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HubFixture, patience, startHubFixture } from './fixtures/hub-fixture.ts';

const on = (feature: string) => ({ feature, mode: 'Enable' as const });
const both: ClusterManagerSpec = { serverConfiguration: { featureGates: [on('ClusterProxy'), on('PushAgents')] } };
const inHub = (name: string) => `${NamespaceName.Hub}/${name}`;

let fixture: HubFixture;
let client: KubeClient;
const until = <T>(look: () => Promise<T> | T) => expect.poll(look, patience);
const applied = () => until(() => fixture.condition('Applied')).toBe('True ClusterManagerApplied');
const api = () => client.resource(apiServices).find(ClusterProxyApi.apiService);
const hasApi = async () => (await api()) !== undefined;

/** What the aggregator of a real API server writes: the pods of this fixture serve nothing. */
async function report(status: 'True' | 'False', message: string): Promise<void> {
  const current = await client.resource(apiServices).get(ClusterProxyApi.apiService);
  const condition = { type: 'Available', status, reason: 'Test', message };
  await client.resource(apiServices).status.replace({ ...current, status: { conditions: [condition] } });
}

beforeEach(async () => {
  fixture = await startHubFixture();
  client = fixture.plane.client;
});
afterEach(() => fixture[Symbol.asyncDispose]());

describe('the parts of a hub that OCM does not have', () => {
  it('are not there by default', async () => {
    await fixture.apply({});
    await applied();
    for (const part of ['cluster-proxy', 'push-agents']) expect(await fixture.deployment(part)).toBeUndefined();
    expect(await hasApi()).toBe(false);
    expect(await fixture.condition('HubClusterProxyDegraded')).toBe('False ClusterProxyDisabled');
    expect(await fixture.condition('HubPushAgentsDegraded')).toBe('False PushAgentsDisabled');
  });

  it('are installed by gates of serverConfiguration, with the rights that each needs', async () => {
    await fixture.apply(both);
    await applied();
    await until(hasApi).toBe(true);
    expect(await fixture.condition('ValidFeatureGates')).toBe('True FeatureGatesAllValid');
    await until(() => fixture.condition('HubPushAgentsDegraded')).toBe('False PushAgentsFunctional');
    expect(await fixture.args('cluster-proxy')).toEqual(
      expect.arrayContaining(['cluster-proxy', '--certdir=/var/run/secrets/cluster-proxy/serving-cert']),
    );
    expect(await fixture.args('push-agents')).toEqual(
      expect.arrayContaining(['push-agents', `--namespace=${NamespaceName.Hub}`]),
    );
    const { rules } = await client
      .resource(clusterRoles)
      .get('open-cluster-management:cluster-manager-cluster-proxy:server');
    // The operator keeps its certificate: it reads the access to members, and writes no Secret.
    expect(rules?.filter(({ resources }) => resources?.includes('secrets'))).toEqual([
      { apiGroups: [''], resources: ['secrets'], resourceNames: ['member-access'], verbs: ['get', 'list', 'watch'] },
    ]);
    expect(rules?.filter(({ resources }) => resources?.includes('apiservices')).flatMap(({ verbs }) => verbs)).toEqual([
      'get',
    ]);
    expect(JSON.stringify(rules)).not.toContain('*');
  });

  it('have a certificate that the operator keeps, and an API that trusts its authority', async () => {
    await fixture.apply(both);
    await until(hasApi).toBe(true);
    const bundle = await client.resource(secrets).get(inHub('signer-secret'));
    const caBundle = Buffer.from((await api())?.spec?.caBundle ?? '', 'base64').toString();
    expect(caBundle).toContain(
      Buffer.from(bundle.data?.['tls.crt'] ?? '', 'base64')
        .toString()
        .trim(),
    );
    const first = (await client.resource(secrets).get(inHub(ClusterProxyApi.servingSecret))).data?.['tls.crt'];
    await client.resource(secrets).delete(inHub(ClusterProxyApi.servingSecret));
    const current = async () =>
      (await client.resource(secrets).find(inHub(ClusterProxyApi.servingSecret)))?.data?.['tls.crt'];
    await until(current).toBeDefined();
    expect(await current()).not.toBe(first);
  });

  it('say so when the API server does not reach the cluster proxy', async () => {
    await fixture.apply(both);
    await until(hasApi).toBe(true);
    await report('False', 'no route to host');
    await until(() => fixture.condition('HubClusterProxyDegraded')).toBe('True APIServiceUnavailable');
    expect(await fixture.message('HubClusterProxyDegraded')).toContain(ClusterProxyApi.apiService);
  });

  it('are healed when somebody deletes or edits them', async () => {
    await fixture.apply(both);
    await until(hasApi).toBe(true);
    await client.resource(apiServices).delete(ClusterProxyApi.apiService);
    await client.resource(services).delete(inHub(ClusterProxyApi.service));
    await client.resource(deployments).delete(inHub('cluster-manager-push-agents'));
    await until(hasApi).toBe(true);
    await until(() => client.resource(services).find(inHub(ClusterProxyApi.service))).toBeDefined();
    await until(() => fixture.deployment('push-agents')).toBeDefined();
    const body = { spec: { caBundle: Buffer.from('other').toString('base64') } };
    await client.resource(apiServices).patch(ClusterProxyApi.apiService, { type: 'merge', body });
    await until(async () => (await api())?.spec?.caBundle !== body.spec.caBundle).toBe(true);
  });

  it('go without a trace when they are switched off, and what others installed stays', async () => {
    await fixture.apply({});
    await applied();
    const before = await listAllObjects(client);
    await fixture.apply(both);
    await until(hasApi).toBe(true);
    expect(await client.resource(serviceAccounts).find(inHub('push-agents-sa'))).toBeDefined();
    expect((await client.resource(roleBindings).list({ namespace: 'kube-system' })).items).toHaveLength(
      1 + before.filter((line) => line.startsWith('RoleBinding kube-system/')).length,
    );
    await fixture.apply({});
    await until(() => listAllObjects(client)).toEqual(before);
    // That of a cluster proxy from the manifests without an operator.
    const metadata = { namespace: NamespaceName.Hub, name: ClusterProxyApi.servingSecret };
    await client.resource(secrets).create({ metadata, data: {} });
    await fixture.apply({ workConfiguration: { workDriver: 'kube', featureGates: [on('ManifestWorkReplicaSet')] } });
    await until(() => fixture.deployment('work-controller')).toBeDefined();
    await fixture.restart();
    await until(() => fixture.condition('HubWorkDegraded')).toBe('False WorkFunctional');
    expect(await client.resource(secrets).find(inHub(ClusterProxyApi.servingSecret))).toBeDefined();
  });

  it('are removed with the hub, the API before the pods that serve it', async () => {
    const before = await listAllObjects(client);
    await fixture.apply(both);
    await applied();
    await until(hasApi).toBe(true);
    await client.resource(clusterManagers).delete('cluster-manager');
    await until(() => fixture.manager()).toBeUndefined();
    await until(() => listAllObjects(client)).toEqual(before);
    expect(await client.resource(namespaces).find(NamespaceName.Hub)).toBeUndefined();
  });
});
