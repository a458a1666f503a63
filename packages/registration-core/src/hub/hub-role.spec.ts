import { clusterProfiles, Label, type ManagedClusterAddOn } from '@flotilla/api-types';
import {
  clusterRoleBindings,
  clusterRoles,
  namespaces as namespacesType,
  roleBindings as roleBindingsType,
  roles,
} from '@flotilla/kube/kinds';
import { describe, expect, it } from 'vitest';
import type { Driver } from '../contract/index.ts';
import { handlesOf, newCluster, newWork, startHub, testDriver } from './fixtures/running-hub.ts';
import { hubNamespaceRules, hubRules } from './hub-role.ts';

const user = { name: 'system:serviceaccount:open-cluster-management-hub:registration-controller-sa', groups: [] };
const name = 'hub';
/** A driver whose hub may do what it grants to clusters. */
const driver: Driver = {
  authType: 'test',
  options: { agent: {}, hub: {} },
  rules: { hub: testDriver().clusterRules('') },
};

describe('the role of the hub', () => {
  it('has no wildcard', () => {
    expect(JSON.stringify(hubRules([driver]))).not.toContain('*');
  });

  it('is enough for all that the hub does with a cluster, from joining to removal', async () => {
    const hub = await startHub({
      user,
      gates: { ManagedClusterAutoApproval: true, ClusterProfile: true },
      prepare: async ({ client }) => {
        await client.resource(clusterRoles).create({ metadata: { name }, rules: hubRules([driver]) });
        const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: user.name }];
        const roleRef = { kind: 'ClusterRole', apiGroup: 'rbac.authorization.k8s.io', name };
        await client.resource(clusterRoleBindings).create({ metadata: { name }, subjects, roleRef });
        const namespace = 'open-cluster-management-hub';
        await client.resource(namespacesType).create({ metadata: { name: namespace } });
        await client.resource(roles).create({ metadata: { namespace, name }, rules: hubNamespaceRules() });
        const ownRole = { ...roleRef, kind: 'Role' };
        const metadata = { namespace, name };
        await client.resource(roleBindingsType).create({ metadata, subjects, roleRef: ownRole });
      },
    });
    const { clusters, sets, bindings, addons, works, roleBindings, namespaces } = handlesOf(hub);
    await namespaces.create({ metadata: { name: 'ns1' } });
    await bindings.create({ metadata: { namespace: 'ns1', name: 'global' }, spec: { clusterSet: 'global' } });
    await clusters.create(newCluster('c1', { metadata: { labels: { [Label.ClusterSet]: 'default' } } }));
    await hub.quiet();
    const accepted = await clusters.get('c1');
    expect(accepted.status?.conditions?.[0]).toMatchObject({ type: 'HubAcceptedManagedCluster', status: 'True' });
    expect((await roleBindings.list({ namespace: 'c1' })).items).toHaveLength(2);
    expect(await hub.plane.client.resource(clusterProfiles).find('ns1/c1')).toBeDefined();

    const addOn: ManagedClusterAddOn = { metadata: { namespace: 'c1', name: 'a1' }, spec: {} };
    await addons.create(addOn);
    await works.create(newWork('c1', 'w1'));
    await sets.patch('default', { type: 'merge', body: { spec: { managedNamespaces: [{ name: 'n1' }] } } });
    await hub.pass(300_000);
    const silent = await clusters.get('c1');
    expect(silent.metadata?.labels).toHaveProperty(['feature.open-cluster-management.io/addon-a1'], 'unreachable');
    expect(silent.status?.managedNamespaces).toEqual([{ clusterSet: 'default', name: 'n1' }]);

    await clusters.patch('c1', { type: 'merge', body: { spec: { hubAcceptsClient: false } } });
    await hub.quiet();
    await clusters.delete('c1');
    await hub.quiet();
    expect(await clusters.find('c1')).toBeUndefined();
    expect((await roleBindings.list({ namespace: 'c1' })).items).toEqual([]);
    expect(hub.refusals).toEqual([]);
    await hub.stop();
  });
});
