import { configMaps } from '@flotilla/kube/kinds';
import { expect, it, vi } from 'vitest';
import { inPushWorld } from '../push/push-world.ts';
import { serverKinds } from '../registration/servers.ts';
import { grant } from './proxy-fleet.ts';

it.each(serverKinds)(
  'reaches a pushed cluster directly, with the credential that join stored and as the user of the hub, on %s',
  async (kind) => {
    await inPushWorld(kind, async (world) => {
      await world.startClusterProxy();
      const member = await world.startMember('member1');
      const joined = await world.flotilla(
        `join member1 --push --cluster-kubeconfig ${member.kubeconfig} --feature-gates ClusterProxy=true`,
      );
      expect(joined, joined.err).toMatchObject({ code: 0 });
      await grant(member, 'alice', 'edit', 'alice');
      const alice = world.clientThroughHub('member1', 'alice');
      await vi.waitFor(() => alice.resource(configMaps).list({ namespace: 'default' }), {
        timeout: 60_000,
        interval: 200,
      });
      await alice.resource(configMaps).create({ metadata: { namespace: 'default', name: 'of-alice' } });
      expect(await member.client.resource(configMaps).get('default/of-alice')).toBeDefined();
      await expect(alice.resource(configMaps).list({ namespace: 'kube-system' })).resolves.toBeDefined();
      await expect(
        alice.transport.request({ method: 'GET', path: '/apis/rbac.authorization.k8s.io/v1/clusterroles' }),
      ).rejects.toThrow('User "alice" cannot list');
    });
  },
  200_000,
);
