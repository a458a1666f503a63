import { type ManifestWork, manifestWorks } from '@flotilla/api-types';
import { createHubTransport } from '@flotilla/cloudevents';
import { createInformers, createKubeClient } from '@flotilla/kube';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Server, startServer } from '../registration/servers.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import { type ServerFleet, startServerFleet } from './server-fleet.ts';

const clusters = Array.from({ length: 8 }, (_, index) => `cluster${index + 1}`);
const worksPerCluster = 5;
const dataValue = ({ spec }: ManifestWork): unknown => {
  const [manifest] = spec?.workload?.manifests ?? [];
  return (manifest as { data?: { value?: string } } | undefined)?.data?.value;
};

describe('two replicas of the gRPC server', () => {
  let hub: Server;
  let fleet: ServerFleet;
  let balancer: Balancer;
  /** The replicas that run. */
  let running: Awaited<ReturnType<ServerFleet['startServer']>>[] = [];
  /** What each agent has, by key; and what it saw go. */
  const agents: { values(): ReadonlyMap<string, unknown>; readonly deleted: string[] }[] = [];
  const cleanup = new AsyncDisposableStack();

  /** Changes all works, as somebody does who does not know of any restart. */
  const writeAll = async (value: string) => {
    const works = hub.client.resource(manifestWorks);
    const manifest = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'default' },
      data: { value },
    };
    for (const namespace of clusters) {
      for (let index = 0; index < worksPerCluster; index += 1) {
        const work = { metadata: { name: `w${index}`, namespace }, spec: { workload: { manifests: [manifest] } } };
        if (value === '0') await works.create(work);
        else await works.patch(`${namespace}/w${index}`, { type: 'merge', body: { spec: work.spec } });
      }
    }
  };
  const allHave = (value: string) =>
    expect
      .poll(() => agents.map((agent) => [...agent.values().values()].filter((each) => each === value).length), {
        timeout: 60_000,
      })
      .toEqual(clusters.map(() => worksPerCluster));

  beforeAll(async () => {
    hub = await startServer('embedded');
    fleet = cleanup.use(await startServerFleet(hub));
    balancer = cleanup.use(await startBalancer());
    running = await Promise.all([fleet.startServer(), fleet.startServer()]);
    balancer.targets = running.map(({ port }) => port);
    for (const clusterName of clusters) {
      await fleet.permit(clusterName);
      const events = await fleet.connect(clusterName, balancer.port);
      const client = createKubeClient({ transport: createHubTransport({ client: events, clusterName }) });
      const informers = createInformers({ client });
      cleanup.defer(() => informers.close());
      const works = informers.resource(manifestWorks, { namespace: clusterName });
      const deleted: string[] = [];
      works.changes.subscribe(({ type, key }) => type === 'deleted' && deleted.push(key));
      await works.whenSynced();
      agents.push({
        values: () => new Map(works.list().map((work) => [work.metadata?.name ?? '', dataValue(work)])),
        deleted,
      });
    }
  });
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(fleet.logs());
  });
  afterAll(() => cleanup.disposeAsync());

  it('share the agents, and both send what changes', async () => {
    expect([...balancer.connections().values()].every((count) => count > 0)).toBe(true);
    expect(balancer.connections().size).toBe(2);
    await writeAll('0');
    await allHave('0');
  });

  it('are restarted one after the other, and no agent misses an event', { timeout: 120_000 }, async () => {
    const writing = (async () => {
      for (let round = 1; round <= 12; round += 1) await writeAll(String(round));
    })();
    for (const old of [...running]) {
      running = [...running.filter((each) => each !== old), await fleet.startServer()];
      // As a Deployment does: new connections go to the new one before the old one ends.
      balancer.targets = running.map(({ port }) => port);
      expect(await old.program.end()).toBe(0);
    }
    await writing;
    await allHave('12');
    expect(agents.flatMap(({ deleted }) => deleted)).toEqual([]);
  });

  it('die both at once, and come back to agents that have kept what they had', { timeout: 120_000 }, async () => {
    // Nothing answers, and then a server answers whose caches were empty a moment ago.
    balancer.targets = [];
    await Promise.all(running.map(({ program }) => program.end('SIGKILL')));
    await expect.poll(() => balancer.connections().size).toBe(0);
    const { port } = await fleet.startServer();
    balancer.targets = [port];
    await writeAll('13');
    await allHave('13');
    expect(agents.flatMap(({ deleted }) => deleted)).toEqual([]);
  });
});
