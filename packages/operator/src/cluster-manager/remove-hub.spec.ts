import { clusterManagers, managedClusters, NamespaceName } from '@flotilla/api-types';
import type { KubeClient } from '@flotilla/kube';
import {
  clusterRoles,
  customResourceDefinitions,
  mutatingWebhookConfigurations,
  namespaces,
  validatingWebhookConfigurations,
} from '@flotilla/kube/kinds';
import { listAllObjects } from '@flotilla/kube/testing/internal';
import type { KubeObject, ResourceType } from '@flotilla/schema';
import { afterEach, describe, expect, it } from 'vitest';
import { type HubFixture, patience, startHubFixture } from './fixtures/hub-fixture.ts';

let fixture: HubFixture;
let client: KubeClient;
afterEach(() => fixture[Symbol.asyncDispose]());

const until = <T>(look: () => Promise<T> | T) => expect.poll(look, patience);
const has = async (type: ResourceType, key: string) => (await client.resource(type).find(key)) !== undefined;
const start = async (more: Parameters<typeof startHubFixture>[0] = {}) => {
  fixture = await startHubFixture(more);
  client = fixture.plane.client;
};
const applied = () => until(() => fixture.condition('Applied')).toBe('True ClusterManagerApplied');

const objects = () => listAllObjects(client);

const grpc = {
  registrationConfiguration: { registrationDrivers: [{ authType: 'csr' as const }, { authType: 'grpc' as const }] },
};
const managedClusterDefinition = 'managedclusters.cluster.open-cluster-management.io';

describe('a ClusterManager that is deleted', () => {
  it('[cli C31] leaves nothing over: the cluster is what it was before', async () => {
    await start();
    await fixture.plane.client.resource(namespaces).create({ metadata: { name: 'of-a-user' } });
    const before = await objects();
    expect(before).toContain('Namespace of-a-user');
    await fixture.apply(grpc);
    await applied();
    expect((await objects()).length).toBeGreaterThan(before.length + 60);
    await client.resource(clusterManagers).delete('cluster-manager');
    await until(() => fixture.manager()).toBeUndefined();
    await until(objects).toEqual(before);
  });

  it('waits for clusters, which the hub still has to release, and says so', async () => {
    await start();
    await fixture.apply({});
    await applied();
    const metadata = { name: 'c1', finalizers: ['cluster.open-cluster-management.io/api-resource-cleanup'] };
    // The pods of the webhooks are simulated, so that nothing could be written. The next operator finds no guards, and adds none to a hub that goes.
    await fixture.stop();
    for (const type of [mutatingWebhookConfigurations, validatingWebhookConfigurations]) {
      await client.resource<KubeObject>(type).deleteCollection({});
    }
    await client.resource(managedClusters).create({ metadata, spec: { hubAcceptsClient: true } });
    await client.resource(clusterManagers).delete('cluster-manager');
    await fixture.restart();
    await until(() => fixture.message('Applied')).toContain(
      `There are still remaining CRDs: ${managedClusterDefinition}`,
    );
    expect(await fixture.deployment('registration-controller')).toBeDefined();
    await client.resource(managedClusters).patch('c1', { type: 'merge', body: { metadata: { finalizers: null } } });
    await until(() => fixture.manager()).toBeUndefined();
    expect(await has(namespaces, NamespaceName.Hub)).toBe(false);
  });

  it('keeps clusters with --skip-remove-crds, and leaves their definitions to whoever comes next', async () => {
    await start({ keepsDefinitions: true });
    await fixture.apply({});
    await applied();
    await client.resource(clusterManagers).delete('cluster-manager');
    await until(() => fixture.manager()).toBeUndefined();
    const { metadata } = await client.resource(customResourceDefinitions).get(managedClusterDefinition);
    expect(metadata?.annotations ?? {}).not.toHaveProperty('operator.open-cluster-management.io/version');
    expect(await has(namespaces, NamespaceName.Hub)).toBe(false);
  });

  it('is removed to the end by the next operator, wherever the one before it ended', async () => {
    await start();
    await fixture.apply(grpc);
    await applied();
    await client.resource(clusterManagers).delete('cluster-manager');
    for (const look of [
      () => has(customResourceDefinitions, 'manifestworks.work.open-cluster-management.io'),
      () => has(customResourceDefinitions, 'placements.cluster.open-cluster-management.io'),
      () => has(clusterRoles, 'open-cluster-management:cluster-manager-work:webhook'),
    ]) {
      await until(look).toBe(false);
      await fixture.restart();
    }
    await until(() => fixture.manager()).toBeUndefined();
    expect(await has(namespaces, NamespaceName.Hub)).toBe(false);
  });

  it('lets the next one become the hub', async () => {
    await start();
    await fixture.apply({});
    await applied();
    await fixture.apply({}, { name: 'second' });
    await until(() => fixture.condition('Applied', 'second')).toBe('False InvalidConfiguration');
    await client.resource(clusterManagers).delete('cluster-manager');
    await until(() => fixture.condition('Applied', 'second')).toBe('True ClusterManagerApplied');
  });
});
