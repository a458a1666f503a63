import { manifestWorks } from '@flotilla/api-types';
import { type Relay, startRelay } from '@flotilla/envtest';
import { configMaps } from '@flotilla/kube/kinds';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Program } from '../registration/program.ts';
import { type Server, serverKinds, startServer } from '../registration/servers.ts';
import { configMap } from '../work/manifests.ts';
import { workCondition } from '../work/work-world.ts';
import { type GrpcCluster, type GrpcFleet, startGrpcFleet } from './grpc-fleet.ts';

const name = 'faulty';

describe.each(serverKinds)('a cluster over gRPC, on %s', (kind) => {
  let fleet: GrpcFleet;
  let managed: Server;
  let cluster: GrpcCluster;
  let relay: Relay;
  let server: Program;
  let agent: Program;
  const start = () => cluster.startGrpcAgent(name, { app: 'singleton' });
  beforeAll(async () => {
    [fleet, managed] = await Promise.all([startServer(kind).then(startGrpcFleet), startServer('embedded')]);
    fleet.startGrpcHub();
    server = await fleet.startGrpcServer();
    cluster = await fleet.newGrpcCluster(managed);
    relay = await startRelay(`https://${fleet.url}`);
    await cluster.setConfig({ url: `localhost:${relay.port}` });
  });
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(fleet.logs());
  });
  afterAll(async () => {
    await fleet?.[Symbol.asyncDispose]();
    await relay?.[Symbol.asyncDispose]();
    await managed?.[Symbol.asyncDispose]();
  });

  const works = () => fleet.hub.client.resource(manifestWorks);
  const applied = (work: string) =>
    fleet.admin.seen.until(
      manifestWorks,
      `${work} to be applied`,
      (object) => object.metadata?.name === work && workCondition(object, 'Applied') === 'True',
    );
  const create = (work: string) =>
    works().create({ metadata: { namespace: name, name: work }, spec: { workload: { manifests: [configMap(work)] } } });

  it('joins although agent and gRPC server are killed at each step', { timeout: 200_000 }, async () => {
    agent = start();
    const request = await fleet.admin.asked(name);
    await agent.end('SIGKILL');
    await server.end('SIGKILL');
    agent = start();
    await fleet.admin.accept(name);
    await fleet.admin.approve(name);
    await agent.end('SIGKILL');
    server = await fleet.startGrpcServer();
    agent = start();
    await agent.said('stored new credentials');
    await agent.end('SIGKILL');
    agent = start();
    await fleet.admin.joined(name);
    // The request of the agent that was killed is the one that was answered.
    expect((await fleet.admin.requests(name)).map(({ metadata }) => metadata?.name)).toEqual([request.metadata?.name]);
  });

  it('applies what was created, and removes what was deleted, while the server was away', {
    timeout: 200_000,
  }, async () => {
    await create('before');
    await applied('before');
    await server.end('SIGKILL');
    await works().delete(`${name}/before`);
    await create('meanwhile');
    server = await fleet.startGrpcServer();
    await applied('meanwhile');
    await fleet.admin.seen.gone(manifestWorks, `${name}/before`);
    expect(await managed.client.resource(configMaps).find('default/before')).toBeUndefined();
  });

  it.each([
    ['is cut', () => relay.cut()],
    ['loses its connections', () => relay.dropConnections()],
    ['swallows what is sent', () => relay.blackhole()],
    ['forgets its connections', () => relay.silence()],
    ['is slow', () => relay.delay(300)],
  ] as const)('goes on after a network that %s', { timeout: 200_000 }, async (what, fault) => {
    const work = `after-${what.replaceAll(' ', '-').replaceAll("'", '')}`;
    fault();
    await create(work);
    if (what !== 'is slow') relay.restore();
    await applied(work);
    relay.restore();
    expect(agent.running).toBe(true);
  });

  it('did all that with one certificate, and without the API server of the hub', async () => {
    expect(await fleet.admin.requests(name)).toHaveLength(1);
    expect(cluster.apiServerConnections()).toBe(0);
  });
});
