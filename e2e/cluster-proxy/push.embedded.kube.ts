import { clusterProxyPath } from '@flotilla/api-types';
import { publishExternally } from '@flotilla/cluster-proxy/hub';
import { createKubeClient, staticAccess } from '@flotilla/kube';
import { configMaps } from '@flotilla/kube/kinds';
import { expect, it, vi } from 'vitest';
import { inPushWorld } from '../push/push-world.ts';
import { startProgram } from '../registration/program.ts';
import { deploy, kubeconfigOf } from '../registration/servers.ts';
import { grant } from './proxy-fleet.ts';

const namespace = 'open-cluster-management-hub';

it('reaches a pushed cluster directly, with the credential that join stored and as the user of the hub', async () => {
  await inPushWorld('embedded', async (world) => {
    await deploy(world.hub, 'hub', ['cluster-proxy/rbac.yaml']);
    const kubeconfig = await kubeconfigOf(world.hub, `${namespace}/cluster-proxy-sa`, world.directory);
    await using proxy = startProgram('hub', [
      'cluster-proxy',
      `--kubeconfig=${kubeconfig}`,
      '--bind-address=127.0.0.1',
      '--port=0',
    ]);
    const { address } = await proxy.said('serving the API by which clusters are reached');
    await publishExternally(world.hub.client, {
      namespace,
      host: 'localhost',
      port: Number(String(address).split(':')[1]),
    });
    const member = await world.startMember('member1');
    const joined = await world.flotilla(
      `join member1 --push --cluster-kubeconfig ${member.kubeconfig} --feature-gates ClusterProxy=true`,
    );
    expect(joined, joined.err).toMatchObject({ code: 0 });
    await grant(member, 'alice', 'edit', 'alice');
    const server = `${world.hub.access.server}${clusterProxyPath('member1')}`;
    // The administrator of the hub acts as alice: the API server of the hub decides that.
    const access = staticAccess({
      ...world.hub.access,
      server,
      impersonate: { user: 'alice', groups: ['system:masters'] },
    });
    await using alice = createKubeClient({ access });
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
}, 200_000);
