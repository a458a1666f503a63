import { manifestWorks } from '@flotilla/api-types';
import { clusterRoleBindings, clusterRoles, configMaps } from '@flotilla/kube/kinds';
import { listAllObjects } from '@flotilla/kube/testing/internal';
import { describe, expect, it } from 'vitest';
import { serverKinds } from '../registration/servers.ts';
import { inPushWorld, pollOptions } from './push-world.ts';

const settings = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings', namespace: 'default' },
  data: { colour: 'blue' },
};

describe.each(serverKinds)('the guide of Karmada for push mode on %s', { timeout: 180_000 }, (kind) => {
  it('joins, shows and removes a cluster by the commands of the guide, and leaves nothing behind', () =>
    inPushWorld(kind, async (world) => {
      const { hub, flotilla } = world;
      world.startPushAgents();
      const member = await world.startMember('member1');
      const before = {
        hub: await listAllObjects(hub.client),
        member: await listAllObjects(member.client),
      };

      // karmadactl join member1 --kubeconfig=<karmada kubeconfig> --cluster-kubeconfig=<member1 kubeconfig>
      const joined = await flotilla(`join member1 --cluster-kubeconfig=${member.kubeconfig}`);
      expect(joined, joined.err).toMatchObject({ code: 0, out: 'cluster(member1) is joined successfully\n' });
      await world.whenAvailable('member1');

      // kubectl get clusters
      const { out } = await flotilla('get clusters');
      expect(out).toMatch(/^NAME .*KUBERNETES VERSION +MODE/);
      expect(out).toMatch(/member1 +true +True +True .*v1\.\d+\.\d+\S* +Push/);

      await hub.client.resource(manifestWorks).create({
        metadata: { name: 'settings', namespace: 'member1' },
        spec: { workload: { manifests: [settings] } },
      });
      const applied = () => member.client.resource(configMaps).find('default/settings');
      await expect.poll(async () => (await applied())?.data, pollOptions).toEqual({ colour: 'blue' });

      // karmadactl unjoin member1 --kubeconfig=<karmada kubeconfig> --cluster-kubeconfig=<member1 kubeconfig>
      const removed = await flotilla(`unjoin member1 --cluster-kubeconfig=${member.kubeconfig} --wait 60s`);
      expect(removed, removed.err).toMatchObject({ code: 0 });
      expect(await applied()).toBeUndefined();
      await expect.poll(async () => await listAllObjects(member.client), pollOptions).toEqual(before.member);
      await expect.poll(async () => await listAllObjects(hub.client), pollOptions).toEqual(before.hub);
    }));

  it('leaves the acceptance to others if the user may not accept', () =>
    inPushWorld(kind, async (world) => {
      const { hub, flotilla } = world;
      world.startPushAgents();
      const member = await world.startMember('member2');
      await hub.client.resource(clusterRoles).create({
        metadata: { name: 'joiner' },
        rules: [
          {
            apiGroups: ['cluster.open-cluster-management.io'],
            resources: ['managedclusters'],
            verbs: ['get', 'list', 'create', 'patch'],
          },
          { apiGroups: [''], resources: ['namespaces', 'secrets'], verbs: ['get', 'create', 'update'] },
          { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['patch'] },
        ],
      });
      await hub.client.resource(clusterRoleBindings).create({
        metadata: { name: 'joiner' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'joiner' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'bob' }],
      });
      const joined = await flotilla(`join member2 --cluster-kubeconfig=${member.kubeconfig} --karmada-as bob`);
      expect(joined, joined.err).toMatchObject({ code: 0 });
      expect(joined.out).toContain('flotilla accept --clusters member2');
      expect((await world.cluster('member2')).spec?.hubAcceptsClient ?? false).toBe(false);
      const accepted = await flotilla('accept --clusters member2');
      expect(accepted, accepted.err).toMatchObject({ code: 0 });
      await world.whenAvailable('member2');
    }));
});
