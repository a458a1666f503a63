import { managedClusters, manifestWorks } from '@flotilla/api-types';
import { configMaps } from '@flotilla/kube/kinds';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../registration/fleet.ts';
import type { Program } from '../registration/program.ts';
import { type Server, startServer } from '../registration/servers.ts';
import { type GrpcFleet, startGrpcFleet } from './grpc-fleet.ts';

const name = 'by-grpc';

describe("OCM's agents and our gRPC server", () => {
  let fleet: GrpcFleet;
  let managed: Server;
  let cluster: Cluster;
  let agent: Program;
  let identity: string;
  beforeAll(async () => {
    fleet = await startGrpcFleet();
    await fleet.startOcmGrpcHub();
    await fleet.startGrpcServer();
    managed = await startServer('embedded');
    cluster = await fleet.newCluster(managed);
  });
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(fleet.logs());
  });
  afterAll(async () => {
    await fleet?.[Symbol.asyncDispose]();
    await managed?.[Symbol.asyncDispose]();
  });

  it('joins when it is accepted, is available, and heartbeats', { timeout: 120_000 }, async () => {
    ({ agent, identity } = await fleet.startOcmGrpcAgent(cluster, name));
    await fleet.accept(name);
    await fleet.beatsOn(name);
    const [request] = await fleet.admin.requests(name);
    expect(request?.metadata?.annotations).toEqual({
      'open-cluster-management.io/csr-user':
        'system:serviceaccount:open-cluster-management:agent-registration-bootstrap',
    });
    expect(request?.spec.signerName).toBe('open-cluster-management.io/grpc');
  });

  it('applies a work, its change and its deletion, and reports on it', { timeout: 120_000 }, async () => {
    await fleet.startOcmGrpcWorkAgent(cluster, name, identity);
    const works = fleet.hub.client.resource(manifestWorks);
    const applied = cluster.server.client.resource(configMaps);
    const manifest = (value: string) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'cm', namespace: 'default' },
      data: { value },
    });
    await works.create({
      metadata: { name: 'work', namespace: name },
      spec: { workload: { manifests: [manifest('one')] } },
    });
    const reported = (generation: number) =>
      fleet.admin.seen.until(
        manifestWorks,
        `a report on generation ${generation}`,
        ({ status }) =>
          status?.conditions?.some(
            ({ type, status: value, observedGeneration }) =>
              type === 'Applied' && value === 'True' && observedGeneration === generation,
          ) ?? false,
      );
    await reported(1);
    expect((await applied.get('default/cm')).data).toEqual({ value: 'one' });
    const body = { spec: { workload: { manifests: [manifest('two')] } } };
    await works.patch(`${name}/work`, { type: 'merge', body });
    await reported(2);
    expect((await applied.get('default/cm')).data).toEqual({ value: 'two' });
    await works.delete(`${name}/work`);
    await fleet.admin.seen.gone(manifestWorks, `${name}/work`);
    expect(await applied.find('default/cm')).toBeUndefined();
  });

  it('loses its rights and its open streams when it is no longer accepted', async () => {
    await fleet.admin.accept(name, false);
    await fleet.admin.condition(name, 'HubAcceptedManagedCluster', 'False');
    await expect.poll(() => fleet.mayRenewLease(name)).toBe(false);
    await expect.poll(() => fleet.logs()).toMatch(/a stream ends.*cannot watch manifestworks/);
  });

  it('goes on with its identity after a restart, when it is accepted again', { timeout: 120_000 }, async () => {
    // Sooner than by the back-off of OCM's agents, which grows to two minutes.
    await agent.end();
    await fleet.admin.accept(name);
    await fleet.startOcmGrpcAgent(cluster, name);
    await fleet.admin.joined(name);
    await fleet.beatsOn(name);
    expect((await fleet.hub.client.resource(managedClusters).get(name)).status?.version?.kubernetes).toMatch(/^v1\./);
  });
});
