import { expect, it } from 'vitest';
import { newCluster, newPlacement } from '../fixtures/objects.ts';
import { handlesOf, startPlacement } from '../fixtures/running-placement.ts';

const tier = (name: string) => ({
  groupName: name,
  groupClusterSelector: { labelSelector: { matchLabels: { tier: name } } },
});

it('a cluster that moves to another group is in a decision at any time, also when groups exchange clusters', async () => {
  await using running = await startPlacement();
  const { clusters, placements, decisions } = handlesOf(running.plane);
  for (const [name, labels] of Object.entries({ c1: { tier: 'one' }, c2: { tier: 'two' }, c3: { tier: '' } })) {
    const { status, ...object } = newCluster(name, { labels });
    await clusters.create(object);
    await clusters.status.patch(name, { type: 'merge', body: { status } });
  }
  await placements.create(newPlacement({}, 'p'));
  await running.quiet();
  expect(await running.decisions()).toEqual({ 1: ['c1', 'c2', 'c3'] });

  /** The clusters of all decisions after each write. */
  const seen: string[] = [];
  const pages = new Map<string, readonly string[]>();
  const stop = new AbortController();
  const watched = (async () => {
    for await (const { type, object } of decisions.watch({ sendInitialEvents: true, signal: stop.signal })) {
      if (type === 'BOOKMARK') continue;
      const names = (object.status?.decisions ?? []).map(({ clusterName }) => clusterName);
      pages.set(object.metadata?.name ?? '', type === 'DELETED' ? [] : names);
      seen.push([...new Set([...pages.values()].flat())].sort().join(' '));
    }
  })().catch(() => {});
  const group = async (...groups: string[]) => {
    const decisionStrategy = { groupStrategy: { decisionGroups: groups.map(tier) } };
    await placements.patch('ns/p', { type: 'merge', body: { spec: { decisionStrategy } } });
    await running.quiet();
  };
  await group('one', 'two');
  expect(await running.decisions()).toEqual({ 1: ['c1'], 2: ['c2'], 3: ['c3'] });
  await group('two', 'one');
  expect(await running.decisions()).toEqual({ 1: ['c2'], 2: ['c1'], 3: ['c3'] });
  await group();
  expect(await running.decisions()).toEqual({ 1: ['c1', 'c2', 'c3'] });
  stop.abort();
  await watched;
  expect(seen.length).toBeGreaterThan(5);
  expect(new Set(seen)).toEqual(new Set(['c1 c2 c3']));
});
