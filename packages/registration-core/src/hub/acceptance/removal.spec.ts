import { Finalizer, Label } from '@flotilla/api-types';
import { findCondition } from '@flotilla/kube';
import { afterEach, describe, expect, it } from 'vitest';
import { handlesOf, newCluster, newWork, type RunningHub, startHub, testDriver } from '../fixtures/running-hub.ts';
import { clusterPermissions, namespacePermissions } from './permissions.ts';

let hub: RunningHub;
afterEach(() => hub.stop());

const role = 'open-cluster-management:managedcluster:c1';
const rights = [
  `DELETE clusterroles/${role}`,
  `DELETE clusterrolebindings/${role}`,
  `DELETE namespaces/c1/rolebindings/${role}:registration`,
  `DELETE namespaces/c1/rolebindings/${role}:work`,
];

/** What the hub wrote to rights of the cluster. */
const rightsWrites = () => hub.takeWrites().filter((write) => /roles|rolebindings/.test(write) && write.includes(role));

const permissions = { labels: {}, drivers: [testDriver()] };

const startAccepted = async (input: Parameters<typeof startHub>[0] = {}) => {
  hub = await startHub(input);
  await handlesOf(hub).clusters.create(newCluster('c1', { spec: { hubAcceptsClient: true } }));
  await hub.quiet();
  hub.takeWrites();
};

describe('removing a cluster', () => {
  it('[registration-hub 1] removes the rights of a cluster that is gone, in order', async () => {
    hub = await startHub({
      async prepare(plane) {
        const { namespaces, clusterRoles, clusterRoleBindings, roleBindings } = handlesOf({ plane });
        const outside = clusterPermissions('c1', 'accepted', permissions);
        const inside = namespacePermissions('c1', permissions);
        await namespaces.create({ metadata: { name: 'c1', labels: { [Label.ClusterName]: 'c1' } } });
        await clusterRoles.create(outside.role);
        await clusterRoleBindings.create(outside.binding);
        await roleBindings.create(inside.registration);
        await roleBindings.create(inside.work);
      },
    });
    const writes = hub.takeWrites();
    expect(writes.filter((write) => write.startsWith('DELETE'))).toEqual(rights);
    expect(writes.filter((write) => write.includes('managedclusters/'))).toEqual([]);
    expect((await handlesOf(hub).roleBindings.list({ namespace: 'c1' })).items).toEqual([]);
  });

  it('[registration-hub 6] takes all rights, frees the binding for works, then the cluster', async () => {
    await startAccepted();
    const { clusters, namespaces, leases } = handlesOf(hub);
    await clusters.delete('c1');
    await hub.quiet();
    expect(rightsWrites()).toEqual([...rights, rights[3]?.replace('DELETE', 'PATCH')]);
    expect(await clusters.find('c1')).toBeUndefined();
    // [registration-hub 24]
    expect(await namespaces.find('c1')).toBeDefined();
    expect(await leases.find('c1/managed-cluster-lease')).toBeDefined();
  });

  it('[registration-hub 7] waits for works without polling, says for which, and ends when they are gone', async () => {
    await startAccepted({ gates: { ResourceCleanup: false } });
    const { clusters, works } = handlesOf(hub);
    await works.create(newWork('c1', 'w1'));
    await hub.quiet();
    await clusters.delete('c1');
    await hub.quiet();
    expect(rightsWrites()).toEqual(rights);
    const waiting = await clusters.get('c1');
    expect(waiting.metadata?.finalizers).toEqual([Finalizer.ApiResourceCleanup]);
    expect(findCondition(waiting.status?.conditions, 'PermissionsRemoved')).toMatchObject({
      status: 'False',
      reason: 'WorksRemaining',
      message:
        'Waits since 2026-01-01T00:00:00Z until the agent of the cluster has removed the ManifestWorks in namespace c1: w1. If the agent is gone for good, annotate the cluster with open-cluster-management.io/force-removal=true.',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    });
    hub.takeWrites();
    await hub.pass(60_000);
    expect(hub.takeWrites()).toEqual([]);
    await works.delete('c1/w1');
    await hub.quiet();
    expect(await clusters.find('c1')).toBeUndefined();
  });

  it('keeps the binding for works of a deleted cluster, and takes it at once when the cluster is denied meanwhile', async () => {
    await startAccepted({ gates: { ResourceCleanup: false } });
    const { clusters, roleBindings, works } = handlesOf(hub);
    await works.create(newWork('c1', 'w1'));
    await clusters.delete('c1');
    await hub.quiet();
    expect((await roleBindings.get(`c1/${role}:work`)).metadata?.deletionTimestamp).toBeDefined();
    await clusters.patch('c1', { type: 'merge', body: { spec: { hubAcceptsClient: false } } });
    await hub.quiet();
    expect(await roleBindings.find(`c1/${role}:work`)).toBeUndefined();
    const said = findCondition((await clusters.get('c1')).status?.conditions, 'PermissionsRemoved');
    expect(said).toMatchObject({ status: 'False', reason: 'WorksRemaining' });
    expect(said?.message).toContain('The cluster is denied, so its agent cannot remove them.');
    expect(said?.message).toContain('open-cluster-management.io/force-removal=true');
  });
});
