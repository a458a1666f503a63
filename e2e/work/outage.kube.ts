import { configMaps } from '@flotilla/kube/kinds';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MortalServer, serverKinds, startMortalServer, startServer } from '../registration/servers.ts';
import { configMap } from './manifests.ts';
import { onEachServer } from './suite.ts';
import { startWorkWorld, type WorkWorld } from './work-world.ts';

describe.each(serverKinds)('a hub that goes away, on %s', (kind) => {
  let hub: MortalServer;
  let world: WorkWorld;
  beforeAll(async () => {
    hub = await startMortalServer(kind);
    world = await startWorkWorld(hub, await startServer(kind));
  });
  afterAll(() => world?.[Symbol.asyncDispose]());

  it('does not keep the agent from maintaining what is applied, and is followed again when it is back', async () => {
    const { managed, create, change, synced, onManaged, startAgent } = world;
    const agent = startAgent();
    const maps = managed.resource(configMaps);
    await synced(await create('outage', [configMap('outage', { a: '1' })]));
    await hub.kill();
    // Long enough for every connection to be given up and tried again.
    for (const value of ['x', 'y', 'z']) {
      await maps.patch('default/outage', { type: 'merge', body: { data: { a: value } } });
      await onManaged.until(
        configMaps,
        'the edit undone',
        (map) => map.metadata?.name === 'outage' && map.data?.a === '1',
      );
    }
    expect(agent.running).toBe(true);
    await hub.start();
    await synced(await change('outage', { workload: { manifests: [configMap('outage', { a: '2' })] } }));
    expect((await maps.get('default/outage')).data).toEqual({ a: '2' });
  }, 120_000);
});

onEachServer((world) => {
  it('a credential for the hub that is renewed under load costs nothing: no work is late or lost', async () => {
    await using agent = world().startAgent();
    const { create, synced, renewHubCredential } = world();
    const names = Array.from({ length: 40 }, (_, index) => `rotated-${index}`);
    const results: Promise<unknown>[] = [];
    for (const [index, name] of names.entries()) {
      results.push(synced(await create(name, [configMap(name)])));
      if (index % 10 === 5) await renewHubCredential();
    }
    await Promise.all(results);
    expect(agent.log.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
