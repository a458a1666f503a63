import { type ManifestWork, managedClusters, manifestWorks } from '@flotilla/api-types';
import { configMaps, deployments } from '@flotilla/kube/kinds';
import type { EmbeddedResource } from '@flotilla/schema';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bootstrapAccount } from '../registration/fleet.ts';
import type { Program } from '../registration/program.ts';
import { accessOf, type Server, serverKinds, startServer } from '../registration/servers.ts';
import { configMap, configOf } from '../work/manifests.ts';
import { manifestOf, workCondition } from '../work/work-world.ts';
import { type GrpcCluster, type GrpcFleet, startGrpcFleet } from './grpc-fleet.ts';

const name = 'by-grpc';

const deployment: EmbeddedResource = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { namespace: 'default', name: 'web' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'busybox' }] } },
  },
};

describe.each(serverKinds)('a cluster that has the gRPC address only, on %s', (kind) => {
  let fleet: GrpcFleet;
  let managed: Server;
  let cluster: GrpcCluster;
  let agent: Program;
  beforeAll(async () => {
    [fleet, managed] = await Promise.all([startServer(kind).then(startGrpcFleet), startServer('embedded')]);
    fleet.startGrpcHub();
    await fleet.startGrpcServer();
    cluster = await fleet.newGrpcCluster(managed);
  });
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(fleet.logs());
  });
  afterAll(async () => {
    await fleet?.[Symbol.asyncDispose]();
    await managed?.[Symbol.asyncDispose]();
  });

  const works = () => fleet.hub.client.resource(manifestWorks);
  const create = (work: string, manifests: readonly EmbeddedResource[], spec: Partial<ManifestWork['spec']> = {}) =>
    works().create({
      metadata: { namespace: name, name: work },
      spec: { ...spec, workload: { manifests: [...manifests] } },
    });
  const until = (work: string, what: string, isIt: (work: ManifestWork) => boolean) =>
    fleet.admin.seen.until(
      manifestWorks,
      `${work}: ${what}`,
      (object) => object.metadata?.name === work && isIt(object),
    );
  const applied = (work: string) => until(work, 'applied', (object) => workCondition(object, 'Applied') === 'True');

  it('joins when it is accepted, and is available [registration-agent 74]', async () => {
    agent = cluster.startGrpcAgent(name, { app: 'singleton' });
    const request = await fleet.admin.asked(name);
    expect(request.spec.signerName).toBe('open-cluster-management.io/grpc');
    expect(request.spec.username).toBe('system:serviceaccount:open-cluster-management-hub:grpc-server-sa');
    await fleet.admin.admit(name);
    expect((await fleet.admin.joined(name)).status?.version?.kubernetes).toMatch(/^v1\./);
    expect((await cluster.identity())?.['config.yaml']).toContain(`url: ${fleet.url}`);
  });

  it('applies a work, reports feedback as it changes, and removes what it applied', async () => {
    const feedback = { feedbackRules: [{ type: 'WellKnownStatus' as const }] };
    const manifestConfigs = [configOf('deployments', 'web', feedback, 'apps')];
    await create('web', [configMap('cm'), deployment], { manifestConfigs });
    await applied('web');
    for (const replicas of [1, 2]) {
      // What a controller would say: the managed cluster has none.
      const body = { status: { replicas, updatedReplicas: replicas } };
      await managed.client.resource(deployments).status.patch('default/web', { type: 'merge', body });
      await until('web', `${replicas} replicas`, (work) =>
        (manifestOf(work, 1)?.statusFeedback?.values ?? []).some(
          ({ name: value, fieldValue }) => value === 'Replicas' && fieldValue.integer === replicas,
        ),
      );
    }
    await works().delete(`${name}/web`);
    await fleet.admin.seen.gone(manifestWorks, `${name}/web`);
    expect(await managed.client.resource(configMaps).find('default/cm')).toBeUndefined();
  });

  it('is beside a cluster that registered by a certificate of the API server [grpc-cloudevents 26.7-62] [registration-agent 77] [registration-hub 57]', async () => {
    const other = await fleet.newCluster();
    other.startAgent('by-csr');
    await fleet.admin.admit('by-csr');
    await fleet.admin.joined('by-csr');
    await fleet.admin.joined(name);
  });

  it('goes on with its identity when the agent starts again', async () => {
    const before = await cluster.identity();
    expect(await agent.end()).toBe(0);
    agent = cluster.startGrpcAgent(name, { app: 'singleton' });
    await agent.said('the agent is running');
    expect((await cluster.identity())?.['tls.crt']).toBe(before?.['tls.crt']);
    expect(await fleet.admin.requests(name)).toHaveLength(1);
  });

  it('loses its streams when it is no longer accepted, and goes on when it is again', async () => {
    await fleet.admin.accept(name, false);
    await fleet.admin.condition(name, 'HubAcceptedManagedCluster', 'False');
    await agent.said('the agent is joining', 'notAccepted');
    await agent.said('the stream is lost', 'leases');
    await fleet.admin.accept(name);
    await fleet.admin.joined(name);
    await create('again', [configMap('again')]);
    await applied('again');
  });

  it('is removed with what it applied, and comes back by a new token', async () => {
    const clusters = fleet.hub.client.resource(managedClusters);
    await clusters.delete(name);
    await fleet.admin.seen.gone(managedClusters, name);
    expect(await managed.client.resource(configMaps).find('default/again')).toBeUndefined();
    await agent.said('was removed from the hub');
    expect(await clusters.find(name)).toBeUndefined();
    const { authorization = '' } = await accessOf(fleet.hub, bootstrapAccount);
    await cluster.setConfig({ token: authorization.replace('Bearer ', '') });
    await agent.said('asked the hub to accept the cluster', 'new bootstrap credentials');
    await fleet.admin.accept(name);
    await fleet.admin.joined(name);
    await create('back', [configMap('back')]);
    await applied('back');
  });

  it('never connected to the API server of the hub', () => {
    expect(agent.running).toBe(true);
    expect(cluster.apiServerConnections()).toBe(0);
  });
});
