import { type ClusterManagerSpec, clusterManagers, NamespaceName } from '@flotilla/api-types';
import type { KubeClient } from '@flotilla/kube';
import {
  clusterRoles,
  configMaps,
  customResourceDefinitions,
  deployments,
  secrets,
  serviceAccounts,
  services,
  validatingWebhookConfigurations,
} from '@flotilla/kube/kinds';
import type { KubeObject, ResourceType } from '@flotilla/schema';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HubFixture, patience, startHubFixture } from './fixtures/hub-fixture.ts';

const hubNamespace = NamespaceName.Hub;

let fixture: HubFixture;
let client: KubeClient;
const until = <T>(look: () => Promise<T> | T) => expect.poll(look, patience);

const has = async (type: ResourceType, key: string) => (await client.resource(type).find(key)) !== undefined;

async function applied(spec: ClusterManagerSpec): Promise<void> {
  const { metadata } = await fixture.apply(spec);
  await until(async () => {
    const status = (await fixture.manager())?.status;
    const found = status?.conditions?.find(({ type }) => type === 'Applied');
    return (found?.observedGeneration ?? 0) >= (metadata.generation ?? 0) && found?.status === 'True';
  }).toBe(true);
}

describe('a hub', () => {
  beforeEach(async () => {
    fixture = await startHubFixture();
    client = fixture.plane.client;
  });
  afterEach(() => fixture[Symbol.asyncDispose]());

  it('heals at once what others edit or delete', async () => {
    await applied({});
    const key = `${hubNamespace}/cluster-manager-work-webhook`;
    await client.resource(deployments).patch(key, { type: 'merge', body: { spec: { replicas: 7 } } });
    await until(async () => (await fixture.deployment('work-webhook'))?.spec?.replicas).toBe(1);
    const { metadata } = (await fixture.deployment('work-webhook')) ?? {};
    await until(
      async () =>
        (await fixture.manager())?.status?.generations?.find(({ name }) => name === metadata?.name)?.lastGeneration,
    ).toBe(metadata?.generation);

    const role = 'open-cluster-management:cluster-manager-work:webhook';
    await client.resource(clusterRoles).patch(role, { type: 'merge', body: { rules: [] } });
    await until(async () => (await client.resource(clusterRoles).get(role)).rules?.length).toBeGreaterThan(0);

    for (const [type, gone] of [
      [services, `${hubNamespace}/cluster-manager-work-webhook`],
      [deployments, `${hubNamespace}/cluster-manager-placement-controller`],
      [secrets, `${hubNamespace}/work-webhook-serving-cert`],
      [configMaps, `${hubNamespace}/ca-bundle-configmap`],
      [validatingWebhookConfigurations, 'manifestworkvalidators.admission.work.open-cluster-management.io'],
      [customResourceDefinitions, 'placements.cluster.open-cluster-management.io'],
    ] as const satisfies readonly [ResourceType, string][]) {
      const handle = client.resource<KubeObject>(type);
      const { metadata: before } = await handle.get(gone);
      await handle.delete(gone);
      await until(async () => {
        const uid = (await handle.find(gone))?.metadata?.uid;
        return uid !== undefined && uid !== before?.uid;
      }).toBe(true);
    }
  });

  it('is not written again while nothing changes, also by another operator', async () => {
    await applied({});
    await until(() => fixture.condition('Progressing')).toBe('False ClusterManagerUpToDate');
    const versions = async () => {
      const lists = await Promise.all(
        [deployments, services, clusterRoles, serviceAccounts, secrets, customResourceDefinitions, clusterManagers].map(
          (type) => client.resource<KubeObject>(type).list(),
        ),
      );
      return lists.flatMap(({ items }) =>
        items.map(({ metadata }) => `${metadata?.name} ${metadata?.resourceVersion}`),
      );
    };
    const before = await versions();
    await fixture.restart();
    // What the new one does for a change shows that it has been through everything.
    await client.resource(serviceAccounts).delete(`${hubNamespace}/addon-webhook-sa`);
    await until(() => has(serviceAccounts, `${hubNamespace}/addon-webhook-sa`)).toBe(true);
    const others = (list: readonly string[]) => list.filter((one) => !one.startsWith('addon-webhook-sa'));
    expect(others(await versions())).toEqual(others(before));
  });
});
