import { managedClusters } from '@flotilla/api-types';
import { type ClusterAccess, realClock } from '@flotilla/kube';
import { secrets } from '@flotilla/kube/kinds';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Fleet, startFleet } from './fleet.ts';
import type { Program } from './program.ts';
import { type Server, serverKinds, startServer } from './servers.ts';

/** A bootstrap token (not that of a service account: those live for ten minutes at least) that ends when the test says. */
async function bootstrapToken({ client, access }: Server, id: string, endsMs: number): Promise<ClusterAccess> {
  const secret = '0123456789abcdef';
  await client.resource(secrets).create({
    metadata: { namespace: 'kube-system', name: `bootstrap-token-${id}` },
    type: 'bootstrap.kubernetes.io/token',
    stringData: {
      'token-id': id,
      'token-secret': secret,
      expiration: new Date(endsMs).toISOString(),
      'usage-bootstrap-authentication': 'true',
      'auth-extra-groups': 'system:bootstrappers:managedcluster',
    },
  });
  const { server, ca } = access;
  return { server, ca, authorization: `Bearer ${id}.${secret}`, origin: 'a bootstrap token' };
}

// Each ends with words that name the fix, a process that lives, and a cluster that joins once the mistake is fixed.
describe.each(serverKinds)('on %s, with a mistake', (kind) => {
  let fleet: Fleet;
  let hub: Program;
  let isWrong = false;
  beforeAll(async () => {
    fleet = await startFleet(await startServer(kind));
    hub = fleet.startHub(['--duplicate-identity=refuse']);
  });
  afterEach(({ task }) => {
    isWrong ||= task.result?.state === 'fail';
  });
  afterAll(async () => {
    if (isWrong) console.error(fleet.logs());
    await fleet?.[Symbol.asyncDispose]();
  });

  it.concurrent('does not trust a hub with another CA, and joins when the right one is given', async () => {
    const cluster = await fleet.newCluster();
    await cluster.setBootstrap({ ...fleet.bootstrap, ca: cluster.server.access.ca });
    const agent = cluster.startAgent('wrong-ca');
    await agent.said('certificate-authority', fleet.bootstrap.server);
    expect(agent.running).toBe(true);
    await cluster.setBootstrap(fleet.bootstrap);
    await fleet.admin.admit('wrong-ca');
    await fleet.admin.joined('wrong-ca');
  });

  it.concurrent('says that its token has ended, and joins with a new one', async () => {
    const cluster = await fleet.newCluster();
    await cluster.setBootstrap(await bootstrapToken(fleet.hub, 'endedx', realClock.now() - 60_000));
    const agent = cluster.startAgent('ended-token');
    await agent.said('Unauthorized', 'get token');
    expect(agent.running).toBe(true);
    await cluster.setBootstrap(await bootstrapToken(fleet.hub, 'newone', realClock.now() + 3_600_000));
    await fleet.admin.admit('ended-token');
    await fleet.admin.joined('ended-token');
  });

  it.concurrent('does not take the name of another cluster, and takes it when that one is gone', async () => {
    const [first, second] = await Promise.all([fleet.newCluster(), fleet.newCluster()]);
    const holder = first.startAgent('one-name');
    await fleet.admin.admit('one-name');
    const joined = await fleet.admin.joined('one-name');
    const claimant = second.startAgent('one-name');
    await claimant.said('the name one-name belongs to', 'join under another name, or delete the ManagedCluster');
    expect(claimant.running).toBe(true);
    expect(await second.identity()).not.toHaveProperty(['tls.crt']);
    expect(await fleet.admin.requests('one-name')).toHaveLength(1);

    await holder.end();
    await fleet.hub.client.resource(managedClusters).delete('one-name');
    const again = await fleet.admin.seen.until(
      managedClusters,
      'the other cluster under that name',
      ({ metadata }) => metadata?.name === 'one-name' && metadata.uid !== joined.metadata?.uid,
    );
    await fleet.admin.admit('one-name');
    await fleet.admin.joined('one-name');
    expect(again.metadata?.annotations).not.toEqual(joined.metadata?.annotations);
  });

  it.concurrent('does not accept a cluster under a second name where the hub refuses that, and accepts it when the first is given up', async () => {
    const cluster = await fleet.newCluster();
    const first = cluster.startAgent('first-name');
    await fleet.admin.admit('first-name');
    await fleet.admin.joined('first-name');
    await first.end();
    await cluster.forgetIdentity();
    const second = cluster.startAgent('second-name');
    await fleet.admin.admit('second-name');
    const refused = await fleet.admin.condition('second-name', 'IdentityUnique', 'False');
    expect(JSON.stringify(refused.status?.conditions)).toContain('Remove \\"first-name\\" if it was a mistake');
    expect(refused.status?.conditions?.map(({ type }) => type)).not.toContain('ManagedClusterJoined');
    expect(second.running).toBe(true);
    await fleet.hub.client.resource(managedClusters).delete('first-name');
    await fleet.admin.joined('second-name');
  });

  it('needs no more rights on the hub than its manifests give', () => {
    expect(hub.running).toBe(true);
    const refused = hub.log.map((line) => JSON.stringify(line)).filter((line) => line.includes('Forbidden'));
    expect(refused).toEqual([]);
  });
});
