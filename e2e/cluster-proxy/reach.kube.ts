import { configMaps, namespaces } from '@flotilla/kube/kinds';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { deploy, serverKinds } from '../registration/servers.ts';
import { enabled, grant, type ProxyFleet, startProxyFleet, startProxyServer } from './proxy-fleet.ts';

const patience = { timeout: 60_000, interval: 200 };

describe.each(serverKinds)(
  'clusters that are reached through a hub on %s',
  (kind) => {
    let fleet: ProxyFleet;
    let isWrong = false;
    const cleanup = new AsyncDisposableStack();
    beforeAll(async () => {
      fleet = cleanup.use(await startProxyFleet(await startProxyServer(kind)));
      fleet.startGrpcHub();
      await fleet.startGrpcServer();
      await fleet.startProxy();
      const [byCsr, byGrpc] = [await fleet.newCluster(), await fleet.newGrpcCluster()];
      for (const { server } of [byCsr, byGrpc]) {
        await deploy(server, 'agent', ['cluster-proxy/rbac.yaml']);
        await grant(server, 'alice-edits', 'edit', 'alice');
      }
      byCsr.startAgent('csr', { flags: [enabled] });
      byGrpc.startGrpcAgent('grpc', { flags: [enabled] });
      await Promise.all(['csr', 'grpc'].map((name) => fleet.admin.admit(name)));
      await Promise.all(['csr', 'grpc'].map((name) => fleet.admin.joined(name)));
      await fleet.permit('alice', ['csr', 'grpc']);
    }, 200_000);
    afterEach(({ task }) => {
      isWrong ||= task.result?.state === 'fail';
    });
    afterAll(async () => {
      if (isWrong) console.error(fleet?.logs());
      await cleanup.disposeAsync();
    });

    it.each(['csr', 'grpc'])(
      'serves the API of the cluster that registered by %s, to users as themselves',
      async (name) => {
        const alice = fleet.clientTo(name, { user: 'alice' });
        await vi.waitFor(() => alice.resource(configMaps).list({ namespace: 'default' }), patience);
        await alice
          .resource(configMaps)
          .create({ metadata: { namespace: 'default', name: 'of-alice' }, data: { by: 'alice' } });
        expect((await alice.resource(configMaps).get('default/of-alice')).data).toEqual({ by: 'alice' });
        await expect(alice.resource(namespaces).create({ metadata: { name: 'not-hers' } })).rejects.toThrow(
          'User "alice" cannot create resource "namespaces"',
        );
      },
    );
  },
  200_000,
);
