import { appliedManifestWorks, managedClusters, manifestWorks } from '@flotilla/api-types';
import { clusterRoleBindings, configMaps } from '@flotilla/kube/kinds';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, type Fleet, startFleet } from '../registration/fleet.ts';
import type { Program } from '../registration/program.ts';
import { deploy, serverKinds, startServer } from '../registration/servers.ts';
import { configMap } from './manifests.ts';

const holdBack = ['example.com/hold-back'];

describe.each(serverKinds)('a cluster that is removed, on %s', (kind) => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await startFleet(await startServer(kind));
    fleet.startHub();
  });
  afterAll(() => fleet?.[Symbol.asyncDispose]());

  /** A cluster under the whole agent in one process, with a work whose ConfigMap stays until `release` when it is deleted. */
  const joinedWithWork = async (name: string) => {
    const { admin, hub, newCluster } = fleet;
    const cluster = await newCluster(await startServer(kind));
    await deploy(cluster.server, 'singleton', ['work-payloads.yaml']);
    const agent = cluster.startAgent(name, { app: 'singleton' });
    await admin.admit(name);
    await admin.joined(name);
    // So that the agent notices soon that its rights have ended.
    const clusters = hub.client.resource(managedClusters);
    await clusters.patch(name, { type: 'merge', body: { spec: { leaseDurationSeconds: 2 } } });
    const workload = { manifests: [configMap('slow', { a: '1' })] };
    await hub.client
      .resource(manifestWorks)
      .create({ metadata: { namespace: name, name: 'slow' }, spec: { workload } });
    const maps = cluster.server.client.resource(configMaps);
    // An agent that is killed before it records what it applied leaves the object to the garbage collector, later than this suite checks.
    const recorded = async () => (await cluster.server.client.resource(appliedManifestWorks).list()).items[0]?.status;
    await expect.poll(recorded, { timeout: 60_000 }).toMatchObject({ appliedResources: [{ name: 'slow' }] });
    await maps.patch('default/slow', { type: 'merge', body: { metadata: { finalizers: holdBack } } });
    return {
      cluster,
      agent,
      release: () => maps.patch('default/slow', { type: 'merge', body: { metadata: { finalizers: null } } }),
    };
  };
  const isRemoved = async (name: string, { server }: Cluster, agent: Program) => {
    const { admin } = fleet;
    await admin.seen.gone(manifestWorks, `${name}/slow`);
    await admin.seen.gone(managedClusters, name);
    expect(await server.client.resource(configMaps).find('default/slow')).toBeUndefined();
    expect((await server.client.resource(appliedManifestWorks).list()).items).toEqual([]);
    expect(agent.running).toBe(true);
  };

  it('goes when its works are gone, also if these take longer than the agent keeps its rights of registration', async () => {
    const { cluster, agent, release } = await joinedWithWork('patient');
    await fleet.hub.client.resource(managedClusters).delete('patient');
    await agent.said('the agent is bootstrapping', 'Forbidden');
    await release();
    await isRemoved('patient', cluster, agent);
  });

  it('goes when its agent comes back that was down when it was deleted', async () => {
    const { cluster, agent, release } = await joinedWithWork('absent');
    await agent.end('SIGKILL');
    await fleet.hub.client.resource(managedClusters).delete('absent');
    await fleet.admin.seen.gone(clusterRoleBindings, 'open-cluster-management:managedcluster:absent');
    await release();
    const restarted = cluster.startAgent('absent', { app: 'singleton' });
    await isRemoved('absent', cluster, restarted);
  });
});
