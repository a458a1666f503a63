import { managedClusterAddOnsV1alpha1 } from '@flotilla/api-types';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { findCondition } from '@flotilla/kube';
import { afterEach, describe, expect, it } from 'vitest';
import { handlesOf, hubCrds, newCluster, type RunningHub, startHub } from './fixtures/running-hub.ts';

let hub: RunningHub;
afterEach(() => hub.stop());

const without = (...names: string[]) => hubCrds().filter(({ metadata }) => !names.includes(metadata?.name ?? ''));
const addOns = 'managedclusteraddons.addon.open-cluster-management.io';
const works = 'manifestworks.work.open-cluster-management.io';
const accepted = async (name: string) => {
  const { status } = await handlesOf(hub).clusters.get(name);
  return findCondition(status?.conditions, 'HubAcceptedManagedCluster')?.status;
};

/** The definition of ManagedClusterAddOns as OCM has it before v1.3. */
const olderAddOns = () => {
  const both = customResourceDefinitions({ url: 'https://127.0.0.1:1/unused', caBundle: '' });
  return both
    .filter(({ metadata }) => metadata.name === addOns)
    .map((definition) => ({
      ...definition,
      spec: {
        ...definition.spec,
        versions: definition.spec.versions.filter(({ name }) => name === 'v1alpha1'),
        conversion: { strategy: 'None' as const },
      },
    }));
};

const condition = (type: string) => ({
  type,
  status: 'True' as const,
  reason: 'x',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
});

describe('a hub on a server', () => {
  it('that serves neither add-ons nor works nor profiles accepts clusters and removes them', async () => {
    hub = await startHub({
      crds: without(addOns, works, 'clusterprofiles.multicluster.x-k8s.io'),
      gates: { ClusterProfile: true },
    });
    const { clusters } = handlesOf(hub);
    await hub.pass(600_000);
    await clusters.create(newCluster('c1', { spec: { hubAcceptsClient: true } }));
    await hub.quiet();
    expect(await accepted('c1')).toBe('True');
    await clusters.delete('c1');
    await hub.pass(10_000);
    expect(await clusters.find('c1')).toBeUndefined();
  });

  it('that serves add-ons later labels clusters by them then', async () => {
    hub = await startHub({ crds: without(addOns) });
    const { clusters, addons } = handlesOf(hub);
    await clusters.create(newCluster('c1', { spec: { hubAcceptsClient: true } }));
    await hub.pass(60_000);
    const conditions = [condition('ManagedClusterConditionAvailable')];
    await clusters.status.patch('c1', { type: 'merge', body: { status: { conditions } } });
    const definitions = await hub.plane.client.dynamic({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
    });
    const [definition = {}] = hubCrds().filter(({ metadata }) => metadata?.name === addOns);
    await definitions.create(definition);
    await hub.quiet();
    await addons.create({ metadata: { namespace: 'c1', name: 'search' }, spec: {} });
    await hub.pass(120_000);
    expect((await clusters.get('c1')).metadata?.labels).toEqual({
      'feature.open-cluster-management.io/addon-search': 'unreachable',
    });
  });

  it('that serves add-ons in v1alpha1 only reads, marks and removes them in that version', async () => {
    hub = await startHub({ crds: [...without(addOns), ...olderAddOns()] });
    const { clusters } = handlesOf(hub);
    const addons = hub.plane.client.resource(managedClusterAddOnsV1alpha1);
    await clusters.create(newCluster('c1', { spec: { hubAcceptsClient: true } }));
    await hub.quiet();
    await addons.create({ metadata: { namespace: 'c1', name: 'search' }, spec: { installNamespace: 'here' } });
    const available = { conditions: [condition('Available')] };
    await addons.status.patch('c1/search', { type: 'merge', body: { status: available } });
    const { status } = await clusters.get('c1');
    const conditions = [...(status?.conditions ?? []), condition('ManagedClusterConditionAvailable')];
    await clusters.status.patch('c1', { type: 'merge', body: { status: { conditions } } });
    await hub.quiet();
    const label = 'feature.open-cluster-management.io/addon-search';
    expect((await clusters.get('c1')).metadata?.labels).toEqual({ [label]: 'available' });

    await hub.pass(300_000);
    const marked = await addons.get('c1/search');
    expect(findCondition(marked.status?.conditions, 'Available')?.status).toBe('Unknown');
    expect(marked.spec?.installNamespace).toBe('here');

    await clusters.delete('c1');
    await hub.quiet();
    expect(await addons.find('c1/search')).toBeUndefined();
    expect(await clusters.find('c1')).toBeUndefined();
  });
});
