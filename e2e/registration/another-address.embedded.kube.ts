import { connect, createServer, type Socket } from 'node:net';
import { managedClusters } from '@flotilla/api-types';
import { realClock } from '@flotilla/kube';
import { configMaps, type Lease, leases } from '@flotilla/kube/kinds';
import { kubeconfigFor } from '@flotilla/kube/kubeconfig';
import { parseTime } from '@flotilla/kube/meta';
import { describe, expect, it } from 'vitest';
import { inFleet } from './fleet.ts';
import { startServer } from './servers.ts';

/** Another address of a server, until it is disposed: whoever is connected then is cut off. */
async function startRelay(server: string) {
  const { hostname: host, port } = new URL(server);
  const sockets = new Set<Socket>();
  const relay = createServer((socket) => {
    const onward = connect({ host, port: Number(port) });
    for (const [from, to] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  const address = relay.address();
  if (typeof address !== 'object' || address === null) throw new Error('the relay has no address');
  return {
    server: `https://127.0.0.1:${address.port}`,
    [Symbol.dispose]() {
      relay.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

const metadata = { name: 'cluster-info', namespace: 'kube-public' };

// On one kind of server only: what dies is the way to it.
describe('an agent whose hub has announced another address', () => {
  it('goes on there when the first one dies, with the same credentials', async () => {
    await inFleet(startServer('embedded'), async (fleet) => {
      const { hub, admin, bootstrap } = fleet;
      using relay = await startRelay(bootstrap.server);
      const { server, ca } = bootstrap;
      const data = { kubeconfig: JSON.stringify(kubeconfigFor({ server, ...(ca && { ca }), origin: 'the hub' })) };
      const { client } = hub;
      await client.resource(configMaps).apply({ metadata, data }, { fieldManager: 'e2e', force: true });
      fleet.startHub();
      const cluster = await fleet.newCluster();
      await cluster.setBootstrap({ ...bootstrap, server: relay.server });
      const agent = cluster.startAgent('edge');
      await admin.admit('edge');
      await admin.joined('edge');
      await client
        .resource(managedClusters)
        .patch('edge', { type: 'merge', body: { spec: { leaseDurationSeconds: 5 } } });
      const before = await expect
        .poll(() => cluster.identity())
        .toMatchObject({ 'announced-server': server })
        .then(() => cluster.identity());

      relay[Symbol.dispose]();
      const cutAt = realClock.now();
      // Half a minute, and some for a machine that is busy.
      const isFresh = ({ metadata: { namespace } = {}, spec }: Lease) =>
        namespace === 'edge' && (parseTime(spec?.renewTime) ?? 0) > cutAt + 20_000;
      await admin.seen.until(leases, 'a heartbeat over the other address', isFresh, 120_000);
      await agent.said('its other address is tried', server);
      expect((await cluster.identity())?.['tls.crt']).toBe(before?.['tls.crt']);
      expect(await admin.requests('edge')).toHaveLength(1);
    });
  }, 240_000);
});
