import type { KubeObject, ResourceType } from '@flotilla/schema';
import { NEVER } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { StoreChange } from '../store/store.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { ScriptedResource } from '../testing/scripted-resource.ts';
import { createInformers } from './informers.ts';
import { partition } from './partition.ts';

const things: ResourceType = { group: 'example.io', version: 'v1', kind: 'Thing', plural: 'things', namespaced: true };
const thing = (namespace: string, name: string, resourceVersion: number): KubeObject => ({
  metadata: {
    namespace,
    name,
    uid: `uid-${name}`,
    resourceVersion: String(resourceVersion),
    labels: { zone: 'north' },
  },
});
const brief = ({ type, key, initial }: StoreChange<KubeObject>) => `${initial ? 'initially ' : ''}${type} ${key}`;

async function setUp() {
  const clock = new FakeClock();
  const opened: ScriptedResource[] = [];
  const open = () => {
    const resource = new ScriptedResource(things);
    opened.push(resource);
    return resource;
  };
  const client = {
    resource: open as <T extends KubeObject>() => ScriptedResource<T>,
    metadata: open,
    transport: { accessChanged: NEVER },
  };
  const informers = createInformers({ client, clock, random: () => 0.5 });
  const cache = informers.resource(things, { indexes: { zone: ({ metadata }) => [metadata?.labels?.zone ?? ''] } });
  const parts = partition(cache);
  const [server] = opened;
  if (!server) throw new Error('nothing is watched');
  const watch = server.watching.open();
  watch.send('ADDED', thing('a', 'one', 1));
  watch.send('ADDED', thing('b', 'two', 2));
  watch.endOfList('10');
  await clock.settle();
  return { clock, cache, parts, watch, opened };
}

describe('a divided cache', () => {
  it('has one watch, and each part sees its own objects', async () => {
    const { parts, opened } = await setUp();
    const [a, b, c] = ['a', 'b', 'c'].map((name) => parts.part(name));
    expect([a?.list().length, b?.list().length, c?.list().length]).toEqual([1, 1, 0]);
    expect([a?.has('a/one'), a?.has('b/two'), a?.get('b/two')]).toEqual([true, false, undefined]);
    expect([...(a?.keys() ?? [])]).toEqual(['a/one']);
    expect(a?.byIndex('zone', 'north').map(({ metadata }) => metadata?.name)).toEqual(['one']);
    expect([a?.size, a?.synced]).toEqual([1, true]);
    expect(opened).toHaveLength(1);
  });

  it('hands a change to its part, after what was there', async () => {
    const { clock, parts, watch } = await setUp();
    const seen: Record<string, string[]> = { a: [], b: [] };
    for (const name of ['a', 'b']) parts.part(name).changes.subscribe((change) => seen[name]?.push(brief(change)));
    watch.send('MODIFIED', thing('a', 'one', 11));
    watch.send('ADDED', thing('b', 'three', 12));
    watch.send('DELETED', thing('b', 'two', 13));
    await clock.settle();
    expect(seen).toEqual({
      a: ['initially added a/one', 'updated a/one'],
      b: ['initially added b/two', 'added b/three', 'deleted b/two'],
    });
  });

  it('ends the changes of a part that is closed, and of no other', async () => {
    const { clock, parts, watch, cache } = await setUp();
    const seen: string[] = [];
    const ended: string[] = [];
    const first = parts.part('a');
    const second = parts.part('a');
    first.changes.subscribe({ next: (change) => seen.push(brief(change)), complete: () => ended.push('first') });
    second.changes.subscribe({ next: (change) => seen.push(brief(change)), complete: () => ended.push('second') });
    first.close();
    watch.send('MODIFIED', thing('a', 'one', 11));
    await clock.settle();
    expect(ended).toEqual(['first']);
    expect(seen.filter((text) => text.startsWith('updated'))).toHaveLength(1);
    cache.close();
    expect(ended).toEqual(['first', 'second']);
  });

  it('divides objects by a label, of which some have none', async () => {
    const { clock, cache, watch } = await setUp();
    const zones = partition(cache, { label: 'zone' });
    const seen: string[] = [];
    zones.part('south').changes.subscribe((change) => seen.push(brief(change)));
    watch.send('ADDED', {
      ...thing('a', 'three', 11),
      metadata: { ...thing('a', 'three', 11).metadata, labels: { zone: 'south' } },
    });
    watch.send('ADDED', { metadata: { name: 'lone', uid: 'u', resourceVersion: '12' } });
    await clock.settle();
    expect(seen).toEqual(['added a/three']);
    expect([...zones.part('south').keys()]).toEqual(['a/three']);
    expect(zones.part('north').has('lone')).toBe(false);
    expect(zones.part('north').size).toBe(2);
  });

  it('divides objects without a namespace by their names', async () => {
    const { clock, parts, watch } = await setUp();
    watch.send('ADDED', { metadata: { name: 'lone', uid: 'u', resourceVersion: '11' } });
    await clock.settle();
    expect(parts.part('lone').has('lone')).toBe(true);
    expect(parts.part('a').has('lone')).toBe(false);
  });

  it('by a label reports an object whose label changes as deleted to the part that it leaves, and as added to the other', async () => {
    const { cache, watch, clock } = await setUp();
    const parts = partition(cache, { label: 'zone' });
    const seen: string[] = [];
    for (const zone of ['north', 'south']) {
      parts.part(zone).changes.subscribe((change) => seen.push(`${zone}: ${brief(change)}`));
    }
    seen.length = 0;
    const moved = thing('a', 'one', 11);
    watch.send('MODIFIED', { ...moved, metadata: { ...moved.metadata, labels: { zone: 'south' } } });
    await clock.settle();
    expect(seen).toEqual(['north: deleted a/one', 'south: added a/one']);
    expect(['north', 'south'].map((zone) => parts.part(zone).has('a/one'))).toEqual([false, true]);
  });

  it('by a label reports an object that is deleted with another label to the part that had it, and to no other', async () => {
    const { cache, watch, clock } = await setUp();
    const parts = partition(cache, { label: 'zone' });
    const seen: string[] = [];
    for (const zone of ['north', 'south']) {
      parts.part(zone).changes.subscribe((change) => seen.push(`${zone}: ${brief(change)}`));
    }
    seen.length = 0;
    const last = thing('a', 'one', 11);
    watch.send('DELETED', { ...last, metadata: { ...last.metadata, labels: { zone: 'south' } } });
    await clock.settle();
    expect(seen).toEqual(['north: deleted a/one']);
  });
});
