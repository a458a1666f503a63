import { X509Certificate } from 'node:crypto';
import { manifestWorks } from '@flotilla/api-types';
import { startRelay } from '@flotilla/envtest';
import { configMaps, secrets } from '@flotilla/kube/kinds';
import { certificateBlocks } from '@flotilla/schema';
import { expect, it } from 'vitest';
import { type Server, serverKinds, startServer } from '../registration/servers.ts';
import { configMap } from '../work/manifests.ts';
import { workCondition } from '../work/work-world.ts';
import { startGrpcFleet } from './grpc-fleet.ts';

const name = 'trusting';
const namespace = 'open-cluster-management-hub';
const hubFlags = [
  // Certificates of clients are renewed after seconds, so that none of the old authority is left soon.
  '--grpc-signing-duration=40s',
  '--feature-gates=ManagedClusterAutoApproval=true',
  '--auto-approved-grpc-users=system:serviceaccount:open-cluster-management:agent-registration-bootstrap',
];

const serialsOf = (bundle: string) => certificateBlocks(bundle).map((block) => new X509Certificate(block).serialNumber);

/** What the hub has of its certificates. */
function certificatesOf(hub: Server) {
  const certificate = async (secret: string) => {
    const { data } = await hub.client.resource(secrets).get(`${namespace}/${secret}`);
    return new X509Certificate(atob(data?.['tls.crt'] ?? ''));
  };
  return {
    authority: () => certificate('signer-secret'),
    serving: () => certificate('grpc-server-serving-cert'),
    async bundle() {
      const { data } = await hub.client.resource(configMaps).get(`${namespace}/ca-bundle-configmap`);
      return serialsOf(data?.['ca-bundle.crt'] ?? '');
    },
    renew: (secret: string) => hub.client.resource(secrets).delete(`${namespace}/${secret}`),
    dropOld: () => hub.client.resource(configMaps).delete(`${namespace}/ca-bundle-configmap`),
  };
}

it.each(serverKinds)(
  'on %s, server, signer and agents follow a new authority without a restart and without joining again',
  { timeout: 200_000 },
  async (kind) => {
    await using managed = await startServer('embedded');
    await using fleet = await startGrpcFleet(await startServer(kind));
    try {
      fleet.startGrpcHub(hubFlags);
      const server = await fleet.startGrpcServer();
      await using relay = await startRelay(`https://${fleet.url}`);
      const cluster = await fleet.newGrpcCluster(managed);
      await cluster.setConfig({ url: `localhost:${relay.port}` });
      const agent = cluster.startGrpcAgent(name);
      const worker = cluster.startGrpcWorkAgent(name);
      await fleet.admin.joined(name);
      const apply = async (each: string) => {
        const manifests = [configMap(each)];
        const works = fleet.hub.client.resource(manifestWorks);
        await works.create({ metadata: { namespace: name, name: each }, spec: { workload: { manifests } } });
        await fleet.admin.seen.until(
          manifestWorks,
          `${each} to be applied`,
          (object) => object.metadata?.name === each && workCondition(object, 'Applied') === 'True',
        );
      };
      const eventually = { timeout: 60_000, interval: 200 };
      const trusted = async () => {
        const config = (await cluster.identity())?.['config.yaml'] ?? '';
        return serialsOf(atob(/caData: (\S+)/.exec(config)?.[1] ?? ''));
      };
      await apply('before');

      const hub = certificatesOf(fleet.hub);
      const first = await hub.authority();
      await hub.renew('signer-secret');
      await expect.poll(async () => (await hub.bundle()).length, eventually).toBe(2);
      const second = await hub.authority();
      // Announced while the server still has its certificate of the first one.
      await expect.poll(trusted, eventually).toEqual([first.serialNumber, second.serialNumber]);
      expect((await hub.serving()).verify(first.publicKey)).toBe(true);

      await hub.renew('grpc-server-serving-cert');
      await expect.poll(async () => (await hub.serving()).verify(second.publicKey), eventually).toBe(true);
      await server.said('serving new connections with another certificate');
      relay.dropConnections();
      await apply('another-serving-certificate');

      // By now the agent has a certificate of the second one, and nobody needs the first.
      const own = async () => new X509Certificate((await cluster.identity())?.['tls.crt'] ?? '');
      await expect.poll(async () => (await own()).verify(second.publicKey), eventually).toBe(true);
      await hub.dropOld();
      await expect.poll(hub.bundle, eventually).toEqual([second.serialNumber]);
      await expect
        .poll(() => server.log.filter(({ msg }) => `${msg}`.includes('serving new')).length)
        .toBeGreaterThan(2);
      relay.dropConnections();
      await apply('without-the-first');

      const phases = agent.log.filter(({ msg }) => String(msg).startsWith('the agent is ')).map(({ msg }) => msg);
      expect(phases).toEqual(['the agent is bootstrapping', 'the agent is joining', 'the agent is running']);
      expect([agent, worker, server].map(({ running }) => running)).toEqual([true, true, true]);
    } catch (error) {
      console.error(fleet.logs());
      throw error;
    }
  },
);
