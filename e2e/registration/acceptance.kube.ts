import { Finalizer, Label, managedClusterAddOns, managedClusters, manifestWorks } from '@flotilla/api-types';
import { type KubeClient, KubeError, realClock } from '@flotilla/kube';
import {
  certificateSigningRequests,
  clusterRoleBindings,
  clusterRoles,
  leases,
  namespaces,
  roleBindings,
  setApproval,
} from '@flotilla/kube/kinds';
import { forcedRemovalAnnotation } from '@flotilla/registration-core/contract';
import type { KubeObject } from '@flotilla/schema';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, type Fleet, startFleet } from './fleet.ts';
import type { Program } from './program.ts';
import { serverKinds, startServer } from './servers.ts';

/** RBAC of the API server follows what is written within moments; asks again and again until the answer is no. */
async function untilRefused(call: () => Promise<unknown>): Promise<void> {
  const end = realClock.monotonic() + 10_000;
  while (realClock.monotonic() < end) {
    try {
      await call();
    } catch (error) {
      if (KubeError.is(error, 'Forbidden')) return;
      throw error;
    }
  }
  throw new Error('was still allowed after ten seconds');
}

/** The heartbeat that the agent of a cluster renews. */
const readBeat = (client: KubeClient, name: string) => client.resource(leases).get(`${name}/managed-cluster-lease`);

describe.each(serverKinds)('on %s', (kind) => {
  let fleet: Fleet;
  let hub: Program;
  let isWrong = false;
  beforeAll(async () => {
    fleet = await startFleet(await startServer(kind));
    hub = fleet.startHub();
  });
  afterEach(({ task }) => {
    isWrong ||= task.result?.state === 'fail';
  });
  afterAll(async () => {
    if (isWrong) console.error(fleet.logs());
    await fleet?.[Symbol.asyncDispose]();
  });

  /** A cluster that has joined, and the program that is its agent. */
  const join = async (name: string): Promise<{ cluster: Cluster; agent: Program }> => {
    const cluster = await fleet.newCluster();
    const agent = cluster.startAgent(name);
    await fleet.admin.admit(name);
    await fleet.admin.joined(name);
    return { cluster, agent };
  };

  it.concurrent('gives nothing to a cluster that is denied before it ever joined, and accepts it after all', async () => {
    const { client } = fleet.hub;
    const cluster = await fleet.newCluster();
    const agent = cluster.startAgent('denied');
    const request = await fleet.admin.asked('denied');
    const denial = { type: 'Denied', reason: 'Unknown', message: 'nobody knows this cluster' } as const;
    await setApproval(client, request, denial, { now: realClock.now() });
    await agent.said('was refused on the hub', 'nobody knows this cluster');
    expect(agent.running).toBe(true);
    expect(await cluster.identity()).not.toHaveProperty(['tls.crt']);
    const selector = { labelSelector: `${Label.ClusterName}=denied` };
    expect((await client.resource(clusterRoles).list(selector)).items).toEqual([]);
    expect((await client.resource(roleBindings).list(selector)).items).toEqual([]);

    await fleet.admin.accept('denied');
    await fleet.admin.approve('denied');
    await fleet.admin.joined('denied');
    expect(await fleet.admin.requests('denied')).toHaveLength(2);
  });

  it.concurrent('takes the rights of a rejected cluster away at once, and gives them back', async () => {
    const { cluster, agent } = await join('rejected');
    const own = await cluster.hubClient();
    await readBeat(own, 'rejected');
    const start = realClock.monotonic();
    await fleet.admin.accept('rejected', false);
    await untilRefused(() => readBeat(own, 'rejected'));
    const tookMs = realClock.monotonic() - start;
    console.log(`${kind}: a rejected cluster is refused after ${tookMs.toFixed(0)} ms`);
    expect(tookMs).toBeLessThan(5000);
    const rejected = await fleet.admin.condition('rejected', 'HubAcceptedManagedCluster', 'False');
    expect(JSON.stringify(rejected.status?.conditions)).toContain('Denied by hub cluster admin');
    await untilRefused(() => own.resource(certificateSigningRequests).list());
    // It may see that it is rejected, and nothing else.
    await own.resource(managedClusters).get('rejected');

    const before = (await readBeat(fleet.hub.client, 'rejected')).spec?.renewTime ?? '';
    await fleet.admin.accept('rejected');
    await fleet.admin.seen.until(
      leases,
      'a heartbeat after the cluster was accepted again',
      ({ metadata, spec }) => metadata?.namespace === 'rejected' && (spec?.renewTime ?? '') > before,
    );
    expect(agent.running).toBe(true);
    await own.close();
  });

  it.concurrent('removes a cluster in order: add-ons, works by priority, rights for works last', async () => {
    const { client } = fleet.hub;
    const { cluster } = await join('removed');
    const own = await cluster.hubClient();
    const held = (name: string, priority?: number) => ({
      namespace: 'removed',
      name,
      // Its agent would take this away when all that the object stood for is gone.
      finalizers: ['e2e.flotilla.dev/held'],
      ...(priority !== undefined && {
        annotations: { 'open-cluster-management.io/cleanup-priority': String(priority) },
      }),
    });
    await client.resource(managedClusterAddOns).create({ metadata: held('addon'), spec: {} });
    const workload = { manifests: [] };
    await client.resource(manifestWorks).create({ metadata: held('late', 50), spec: { workload } });
    await client.resource(manifestWorks).create({ metadata: held('soon', 10), spec: { workload } });
    const isHere = ({ metadata }: KubeObject) => metadata?.namespace === 'removed';
    using addons = await fleet.admin.seen.record(managedClusterAddOns, isHere);
    using works = await fleet.admin.seen.record(manifestWorks, isHere);
    await client.resource(managedClusters).delete('removed');

    const isGoing = (name: string) => (object: KubeObject) =>
      isHere(object) && object.metadata?.name === name && object.metadata.deletionTimestamp !== undefined;
    const release = { type: 'merge', body: { metadata: { finalizers: null } } } as const;
    await fleet.admin.seen.until(managedClusterAddOns, 'the add-on to be deleted', isGoing('addon'));
    const waiting = await fleet.admin.condition('removed', 'Deleting', 'False');
    expect(JSON.stringify(waiting.status?.conditions)).toContain('managedclusteraddons');
    // The watch may report the creation only now.
    expect(works.changes.filter(({ type }) => type !== 'added')).toEqual([]);
    await client.resource(managedClusterAddOns).patch('removed/addon', release);
    await fleet.admin.seen.until(manifestWorks, 'the first work to be deleted', isGoing('soon'));
    expect(works.changes.map(({ object }) => object.metadata?.name)).not.toContain('late');
    // The agent can still finish its works, and do nothing else.
    await own.resource(manifestWorks).get('removed/late');
    await untilRefused(() => own.resource(leases).list({ namespace: 'removed' }));
    await client.resource(manifestWorks).patch('removed/soon', release);
    await fleet.admin.seen.until(manifestWorks, 'the second work to be deleted', isGoing('late'));
    await client.resource(manifestWorks).patch('removed/late', release);

    await fleet.admin.seen.gone(managedClusters, 'removed');
    await untilRefused(() => own.resource(manifestWorks).list({ namespace: 'removed' }));
    const deleted = [...addons.changes, ...works.changes].filter(({ type }) => type === 'deleted');
    expect(deleted.map(({ object }) => object.metadata?.name)).toEqual(['addon', 'soon', 'late']);
    await own.close();
  });

  it.concurrent('says what the removal of a cluster with a dead agent waits for, and forces it on request', async () => {
    const { client } = fleet.hub;
    const { agent } = await join('dead');
    await agent.end('SIGKILL');
    const ofAddOns = 'addon.open-cluster-management.io/addon-pre-delete';
    const metadata = { namespace: 'dead', name: 'left-behind', finalizers: [ofAddOns] };
    await client.resource(managedClusterAddOns).create({ metadata, spec: {} });
    const finalizers = [Finalizer.ManifestWorkCleanup];
    const spec = { workload: { manifests: [] } };
    await client.resource(manifestWorks).create({ metadata: { ...metadata, finalizers }, spec });
    const isHere = (object: KubeObject) => object.metadata?.namespace === 'dead';
    using addons = await fleet.admin.seen.record(managedClusterAddOns, isHere);
    using works = await fleet.admin.seen.record(manifestWorks, isHere);
    await client.resource(managedClusters).delete('dead');
    const waiting = await fleet.admin.condition('dead', 'Deleting', 'False');
    expect(JSON.stringify(waiting.status?.conditions)).toContain('managedclusteraddons');
    // The watch may report the creation only now.
    expect(works.changes.filter(({ type }) => type !== 'added')).toEqual([]);

    const annotations = { [forcedRemovalAnnotation]: 'true' };
    await client.resource(managedClusters).patch('dead', { type: 'merge', body: { metadata: { annotations } } });
    await fleet.admin.seen.gone(managedClusters, 'dead');
    await fleet.admin.seen.gone(manifestWorks, 'dead/left-behind');
    const gone = [...addons.changes, ...works.changes].filter(({ type }) => type === 'deleted');
    expect(gone.map(({ object }) => object.kind)).toEqual(['ManagedClusterAddOn', 'ManifestWork']);
    const selector = { labelSelector: `${Label.ClusterName}=dead` };
    for (const kindOfRight of [clusterRoles, clusterRoleBindings, roleBindings]) {
      expect((await client.resource<KubeObject>(kindOfRight).list(selector)).items).toEqual([]);
    }
  });

  it.concurrent('does not accept a cluster under the name of a system namespace, and says so', async () => {
    const name = 'kube-public';
    await fleet.hub.client.resource(managedClusters).create({ metadata: { name }, spec: { hubAcceptsClient: true } });
    const { status } = await fleet.admin.condition(name, 'ClusterNameAllowed', 'False');
    expect(JSON.stringify(status?.conditions)).toContain('Join under a name other than default, kube-*');
    const { metadata } = await fleet.hub.client.resource(namespaces).get(name);
    expect(metadata?.labels).not.toHaveProperty([Label.ClusterName]);
    expect((await fleet.hub.client.resource(roleBindings).list({ namespace: name })).items).not.toContainEqual(
      expect.objectContaining({ metadata: expect.objectContaining({ labels: { [Label.ClusterName]: name } }) }),
    );
    await fleet.hub.client.resource(managedClusters).delete(name);
    await fleet.admin.seen.gone(managedClusters, name);
  });

  it('gives up waiting for a dead agent by itself where the hub has a timeout', async () => {
    const { client } = fleet.hub;
    const { agent } = await join('abandoned');
    await agent.end('SIGKILL');
    await hub.end();
    hub = fleet.startHub(['--removal-timeout=1s']);
    const metadata = { namespace: 'abandoned', name: 'left-behind', finalizers: [Finalizer.ManifestWorkCleanup] };
    await client.resource(manifestWorks).create({ metadata, spec: { workload: { manifests: [] } } });
    await client.resource(managedClusters).delete('abandoned');
    await fleet.admin.seen.gone(managedClusters, 'abandoned');
    expect(await client.resource(manifestWorks).find('abandoned/left-behind')).toBeUndefined();
  });

  it('needs no more rights on the hub than its manifests give', () => {
    expect(hub.running).toBe(true);
    const refused = hub.log.map((line) => JSON.stringify(line)).filter((line) => line.includes('Forbidden'));
    expect(refused).toEqual([]);
  });
});
