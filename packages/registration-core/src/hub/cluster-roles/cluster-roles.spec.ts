import { afterEach, describe, expect, it } from 'vitest';
import { handlesOf, newCluster, type RunningHub, startHub } from '../fixtures/running-hub.ts';

let hub: RunningHub;
afterEach(() => hub.stop());

const registration = 'open-cluster-management:managedcluster:registration';
const work = 'open-cluster-management:managedcluster:work';

describe('the roles that all clusters share', () => {
  it('[registration-hub 111] are there exactly while there is a cluster, and restored', async () => {
    hub = await startHub();
    const { clusters, clusterRoles } = handlesOf(hub);
    expect(await clusterRoles.find(registration)).toBeUndefined();
    hub.takeWrites();
    await clusters.create(newCluster('c1'));
    await hub.quiet();
    const made = hub.writes.filter(({ method, path }) => method === 'POST' && path.endsWith('/clusterroles'));
    expect(made.map(({ body }) => Object(body).metadata)).toEqual(
      [registration, work].map((name) => ({ name, labels: { 'open-cluster-management.io/cluster-name': '' } })),
    );
    const addon = 'addon.open-cluster-management.io';
    expect((await clusterRoles.get(registration)).rules).toEqual([
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'list', 'watch'] },
      {
        apiGroups: ['coordination.k8s.io'],
        resources: ['leases'],
        resourceNames: ['managed-cluster-lease'],
        verbs: ['update'],
      },
      { apiGroups: [addon], resources: ['managedclusteraddons'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: [addon], resources: ['managedclusteraddons/status'], verbs: ['patch', 'update'] },
      { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create'] },
      { apiGroups: ['clusterproxy.open-cluster-management.io'], resources: ['tunnels/attach'], verbs: ['get'] },
    ]);
    const works = 'work.open-cluster-management.io';
    expect((await clusterRoles.get(work)).rules).toEqual([
      { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['create', 'patch', 'update'] },
      { apiGroups: [works], resources: ['manifestworks'], verbs: ['get', 'list', 'watch', 'update', 'patch'] },
      { apiGroups: [works], resources: ['manifestworks/status'], verbs: ['patch', 'update'] },
    ]);
    await clusterRoles.patch(work, { type: 'merge', body: { rules: [] } });
    await hub.quiet();
    expect((await clusterRoles.get(work)).rules).toHaveLength(3);
    hub.takeWrites();
    await clusters.create(newCluster('c2'));
    await clusters.delete('c1');
    await hub.quiet();
    expect(hub.takeWrites().filter((write) => write.includes('clusterroles'))).toEqual([]);
    await clusters.delete('c2');
    await hub.quiet();
    expect(hub.takeWrites().filter((write) => write.includes('clusterroles'))).toEqual([
      `DELETE clusterroles/${registration}`,
      `DELETE clusterroles/${work}`,
    ]);
  });
});
