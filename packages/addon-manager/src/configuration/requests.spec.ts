import { expect, it } from 'vitest';
import { config, hubOf, placement } from '../fixtures/hub.ts';
import { startManager } from '../fixtures/running-manager.ts';

const clusters = ['c0', 'c1', 'c2'];

/** What is sent for add-ons of clusters, without the names of clusters, and how often. */
function counted(writes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const write of writes.filter((one) => one.includes('managedclusteraddons'))) {
    const name = write.replace(/c\d/, '*');
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

it('an add-on costs three requests for each cluster, a change of its configuration two, and its removal one', async () => {
  await using manager = await startManager(clusters);
  const hub = hubOf(manager);
  await hub.select('p', []);
  await hub.install([placement('p')], { defaultConfigs: [config('d')] });
  await hub.hash({ d: 'h1' });
  await hub.select('p', clusters);
  for (const cluster of clusters) await hub.deploy(cluster, true);
  expect(counted(manager.takeWrites())).toEqual({
    'POST */managedclusteraddons': 3,
    'PATCH */managedclusteraddons/hello/status': 6,
  });
  await hub.hash({ d: 'h2' });
  for (const cluster of clusters) await hub.deploy(cluster, true);
  expect(counted(manager.takeWrites())).toEqual({ 'PATCH */managedclusteraddons/hello/status': 6 });
  await hub.select('p', []);
  expect(counted(manager.takeWrites())).toEqual({ 'DELETE */managedclusteraddons/hello': 3 });
});

it('clusters that are selected page by page get the add-on once, however late the watch tells of it', async () => {
  await using manager = await startManager(clusters);
  const hub = hubOf(manager);
  await hub.select('p', ['c0'], ['c1'], ['c2']);
  await hub.install([placement('p')]);
  expect(counted(manager.takeWrites())['POST */managedclusteraddons']).toBe(3);
  await hub.mcas.delete('c1/hello');
  await manager.quiet();
  expect(await hub.installed()).toEqual(clusters);
});
