import type { KubeObject, ResourceType } from '@flotilla/schema';
import { Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { KubeError } from '../errors/kube-error.ts';
import { keyOf } from '../meta/keys.ts';
import { type KitMetrics, noMetrics } from '../metrics/kit-metrics.ts';
import type { StoreChange } from '../store/store.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { ScriptedResource } from '../testing/scripted-resource.ts';
import { createInformers } from './informers.ts';

const things: ResourceType = { group: 'example.io', version: 'v1', kind: 'Thing', plural: 'things', namespaced: false };
const thing = (name: string, resourceVersion: number, zone = 'north'): KubeObject => ({
  metadata: { name, uid: `uid-${name}`, resourceVersion: String(resourceVersion), labels: { zone } },
});
const zoneOf = (object: KubeObject) => [object.metadata?.labels?.zone ?? ''];
const brief = ({ type, key, initial }: StoreChange<KubeObject>) => `${initial ? 'initially ' : ''}${type} ${key}`;

function setUp() {
  const clock = new FakeClock();
  const opened: ScriptedResource[] = [];
  const forgotten: unknown[] = [];
  const sizes: number[] = [];
  const metrics: KitMetrics = {
    ...noMetrics,
    storeSize: (_, size) => sizes.push(size),
    forget: (labels) => forgotten.push(labels),
  };
  const open = () => {
    const resource = new ScriptedResource(things);
    opened.push(resource);
    return resource;
  };
  const accessChanged = new Subject<void>();
  const client = {
    resource: open as <T extends KubeObject>() => ScriptedResource<T>,
    metadata: open,
    transport: { accessChanged: accessChanged },
  };
  const informers = createInformers({ client, clock, metrics, random: () => 0.5 });
  const server = (at = 0) => {
    const resource = opened[at];
    if (!resource) throw new Error(`only ${opened.length} handles were opened`);
    return resource;
  };
  return { clock, informers, opened, server, forgotten, sizes, accessChanged };
}

async function setUpSynced(...objects: KubeObject[]) {
  const set = setUp();
  const cached = set.informers.resource(things, { indexes: { zone: zoneOf } });
  const watch = set.server().watching.open();
  for (const object of objects) watch.send('ADDED', object);
  watch.endOfList('100');
  await set.clock.settle();
  return { ...set, cached, watch };
}

describe('an informer', () => {
  it('follows the server and emits the first list as initial, later changes as live', async () => {
    const { clock, informers, server } = setUp();
    const cached = informers.resource(things, { indexes: { zone: zoneOf } });
    const changes: string[] = [];
    cached.changes.subscribe((change) => changes.push(brief(change)));
    const synced = cached.whenSynced({ timeoutMs: 1000 });
    expect(cached.synced).toBe(false);
    server()
      .watching.open()
      .send('ADDED', thing('a', 1))
      .send('ADDED', thing('b', 2, 'south'))
      .endOfList('2');
    await synced;
    server()
      .watching.send('MODIFIED', thing('a', 3, 'south'))
      .send('DELETED', thing('b', 4))
      .send('ADDED', thing('c', 5));
    await clock.settle();
    expect(changes).toEqual(['initially added a', 'initially added b', 'updated a', 'deleted b', 'added c']);
    expect(cached.list().map(keyOf)).toEqual(['a', 'c']);
    expect(cached.byIndex('zone', 'south').map(keyOf)).toEqual(['a']);
    expect(clock.pending).toBe(1);
  });

  it('is not held by who asked for an index that is another one already, and got nothing to close', async () => {
    const { informers, cached, forgotten } = await setUpSynced();
    const indexes = { zone: () => ['elsewhere'] };
    expect(() => informers.resource(things, { indexes })).toThrow('zone');
    expect(forgotten).toEqual([]);
    cached.close();
    expect(forgotten).toHaveLength(1);
  });

  it('sends a late subscriber the present objects, then changes', async () => {
    const { clock, cached, watch } = await setUpSynced(thing('a', 1));
    const changes: string[] = [];
    cached.changes.subscribe((change) => changes.push(brief(change)));
    watch.send('ADDED', thing('b', 101));
    await clock.settle();
    expect(changes).toEqual(['initially added a', 'added b']);
  });

  it('emits only differences after a re-list, and those as live', async () => {
    const { clock, cached, watch, server } = await setUpSynced(thing('same', 1), thing('gone', 2), thing('old', 3));
    const changes: string[] = [];
    cached.changes.subscribe((change) => changes.push(brief(change)));
    changes.length = 0;
    watch.fail(new KubeError('Expired', 'too old'));
    await clock.settle();
    const relist = server().watching.open();
    for (const object of [thing('same', 1), thing('old', 200), thing('new', 201)]) relist.send('ADDED', object);
    relist.endOfList('210');
    await clock.settle();
    expect(changes).toEqual(['updated old', 'added new', 'deleted gone']);
  });

  it('drops managed fields before caching', async () => {
    const managed = thing('a', 1);
    const { cached } = await setUpSynced({ metadata: { ...managed.metadata, managedFields: [{ manager: 'x' }] } });
    expect(cached.get('a')).toEqual(managed);
  });

  it('puts the answer of a write in the cache at once, and emits the change once', async () => {
    const { clock, cached, watch, server } = await setUpSynced(thing('a', 1));
    const changes: string[] = [];
    cached.changes.subscribe((change) => changes.push(brief(change)));
    changes.length = 0;
    server().patch = async () => thing('a', 101, 'south');
    const answer = await cached.patch('a', { type: 'merge', body: {} });
    expect(cached.get('a')).toEqual(answer);
    expect(cached.get('a')).not.toBe(answer);
    expect(cached.byIndex('zone', 'south')).toHaveLength(1);
    watch.send('MODIFIED', thing('a', 101, 'south'));
    await clock.settle();
    expect(changes).toEqual(['updated a']);
  });

  it('keeps the answers of dry runs and of creates out of the cache', async () => {
    const { cached, server } = await setUpSynced(thing('a', 1));
    server().patch = async () => thing('a', 101, 'south');
    server().create = async (object) => object;
    await cached.patch('a', { type: 'merge', body: {} }, { dryRun: true });
    await cached.create(thing('b', 102));
    expect(cached.list()).toEqual([thing('a', 1)]);
  });

  it('puts the answer of a status write in the cache', async () => {
    const { cached, server } = await setUpSynced(thing('a', 1));
    server().status.patch = async () => thing('a', 101, 'south');
    await expect(cached.status.patch('a', { type: 'merge', body: {} })).resolves.toEqual(thing('a', 101, 'south'));
    expect(cached.get('a')).toEqual(thing('a', 101, 'south'));
  });

  it('reports the last error while it cannot follow, and why it did not sync in time', async () => {
    const { clock, informers, server } = setUp();
    const cached = informers.resource(things);
    const synced = cached.whenSynced({ timeoutMs: 500 });
    server().watching.fail(new KubeError('Forbidden', 'things is forbidden', { hint: 'grant it' }));
    void clock.advance(500);
    await expect(synced).rejects.toThrow(
      'Timeout: things.example.io was not listed within 0.5 s: Forbidden: streaming list of things.example.io: things is forbidden',
    );
    await expect(synced).rejects.toMatchObject({ hint: 'grant it', cause: cached.lastError });
    await clock.advance(1000);
    server().watching.open().endOfList('1');
    await clock.settle();
    expect(cached.lastError).toBeUndefined();
    await cached.whenSynced({ timeoutMs: 0 });
  });

  it('stops waiting when the configuration is wrong, unless it waits without a limit', async () => {
    const { clock, informers, server } = setUp();
    const cache = informers.resource(things);
    const limited = expect(cache.whenSynced({ timeoutMs: 60_000 })).rejects.toMatchObject({ code: 'Config' });
    const unlimited = cache.whenSynced({ timeoutMs: Number.POSITIVE_INFINITY });
    await clock.settle();
    server().watching.fail(new KubeError('Config', 'there is no kubeconfig'));
    await clock.settle();
    await limited;
    await expect(cache.whenSynced({ timeoutMs: 1000 })).rejects.toMatchObject({ code: 'Config' });
    informers.close();
    await expect(unlimited).rejects.toMatchObject({ code: 'Canceled' });
  });

  it('stops waiting on the errors that the caller names, and goes on trying', async () => {
    const { clock, informers, server } = setUp();
    const cache = informers.resource(things);
    const optional = expect(cache.whenSynced({ endsOn: ['NotFound'] })).rejects.toMatchObject({ code: 'NotFound' });
    const required = cache.whenSynced({ timeoutMs: 60_000 });
    await clock.settle();
    server().watching.fail(new KubeError('NotFound', 'there is no such kind'));
    await clock.settle();
    await optional;
    await expect(cache.whenSynced({ endsOn: ['NotFound'] })).rejects.toMatchObject({ code: 'NotFound' });
    await clock.advance(1000);
    server().watching.open().endOfList('1');
    await clock.settle();
    await required;
    await cache.whenSynced({ endsOn: ['NotFound'] });
  });

  it('stops waiting on such an error only after it has held for as long as the caller says', async () => {
    const { clock, informers, server } = setUp();
    const cache = informers.resource(things);
    const ends: (string | undefined)[] = [];
    const wait = cache.whenSynced({ endsOn: ['NotFound', 'Forbidden'], endsAfterMs: 10_000 });
    wait.catch((error: KubeError) => ends.push(error.code));
    await clock.settle();
    const fail = async (code: 'NotFound' | 'Forbidden') => {
      server().watching.fail(new KubeError(code, 'not now'));
      await clock.settle();
    };
    await fail('NotFound');
    await clock.advance(9_000);
    await fail('NotFound');
    // Another error begins anew.
    await clock.advance(9_000);
    await fail('Forbidden');
    await clock.advance(9_000);
    await fail('Forbidden');
    expect(ends).toEqual([]);
    await clock.advance(9_000);
    await fail('Forbidden');
    expect(ends).toEqual(['Forbidden']);
  });

  it('stops waiting for the first list when the signal aborts, or when it is closed', async () => {
    const { clock, informers } = setUp();
    const cached = informers.resource(things);
    const stop = new AbortController();
    const first = cached.whenSynced({ signal: stop.signal, timeoutMs: 1000 });
    const second = cached.whenSynced({ timeoutMs: 1000 });
    stop.abort('shutting down');
    await expect(first).rejects.toBe('shutting down');
    await expect(cached.whenSynced({ signal: stop.signal })).rejects.toBe('shutting down');
    cached.close();
    await expect(second).rejects.toThrow('Canceled: the informer of things.example.io was closed');
    expect(clock.pending).toBe(0);
  });
});

describe('informers', () => {
  it('share one watch and store among all who ask for the same', async () => {
    const { informers, opened } = setUp();
    informers.resource(things);
    informers.resource(things);
    expect(opened).toHaveLength(1);
    informers.resource(things, { namespace: 'ns' });
    informers.resource(things, { labelSelector: 'app=x' });
    informers.resource({ ...things, version: 'v2' });
    informers.resource(things, { transform: (object) => object });
    informers.metadata(things);
    expect(opened).toHaveLength(6);
  });

  it('free the watch, the store and the metrics when the last holder releases it', async () => {
    const { clock, cached, informers, watch, forgotten, opened } = await setUpSynced(thing('a', 1));
    const other = informers.resource(things);
    let completed = 0;
    cached.changes.subscribe({ complete: () => (completed += 1) });
    other.changes.subscribe({ complete: () => (completed += 10) });
    cached.close();
    cached.close();
    await clock.settle();
    expect([completed, watch.ended, other.size]).toEqual([1, false, 1]);
    other[Symbol.dispose]();
    await clock.settle();
    expect([completed, watch.ended, other.size, clock.pending]).toEqual([11, true, 0, 0]);
    expect(forgotten).toEqual([{ resource: 'things.example.io' }]);
    informers.resource(things);
    expect(opened).toHaveLength(2);
  });

  it('leave nothing behind when all are closed', async () => {
    const { clock, informers, opened, accessChanged } = setUp();
    const one = informers.resource(things);
    informers.resource(things, { namespace: 'ns' });
    informers.close();
    one.close();
    await clock.settle();
    expect(opened.every(({ watching }) => watching.ended)).toBe(true);
    expect([clock.pending, accessChanged.observed]).toEqual([0, false]);
  });

  it('report the size of the store when it changes', async () => {
    const { clock, watch, sizes } = await setUpSynced(thing('a', 1), thing('b', 2));
    watch.send('MODIFIED', thing('a', 101)).send('DELETED', thing('b', 102));
    await clock.settle();
    expect(sizes).toEqual([2, 1]);
  });

  it('move every watch to new credentials', async () => {
    const { clock, accessChanged, server, watch } = await setUpSynced(thing('a', 1));
    accessChanged.next();
    await clock.settle();
    expect(watch.ended).toBe(true);
    expect(server().watching.options.resourceVersion).toBe('100');
  });
});
