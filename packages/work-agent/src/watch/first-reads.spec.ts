import { KubeError, silentLogger } from '@flotilla/kube';
import { configMaps } from '@flotilla/kube/kinds';
import { noMetrics } from '@flotilla/kube/metrics';
import { FakeClock } from '@flotilla/kube/testing';
import { ScriptedResource } from '@flotilla/kube/testing/internal';
import type { KubeObject } from '@flotilla/schema';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Manifest } from '../manifest.ts';
import { createFirstReads, type FirstReads } from './first-reads.ts';
import { createObjectTracker, type ObjectTracker } from './object-tracker.ts';

const clock = new FakeClock();
let watched: ScriptedResource<KubeObject>;
let listed: ScriptedResource<Manifest>;
let tracker: ObjectTracker;
let firstReads: FirstReads;
/** Keys that were read one by one. */
let reads: string[];

const names = Array.from({ length: 10 }, (_, index) => `cm-${index}`);
const addressOf = (name: string) => ({ type: configMaps, key: `ns/${name}` });
const object = (name: string, resourceVersion = '50'): Manifest => ({
  metadata: { namespace: 'ns', name, uid: `uid-${name}`, resourceVersion },
  data: { text: 'x'.repeat(100) },
});
const pageOf = (...items: Manifest[]) => ({ metadata: { resourceVersion: '60' }, items });

const begin = (expected: readonly string[] = names, room?: number): void => {
  firstReads = createFirstReads({ tracker, clock, log: silentLogger, ...(room !== undefined && { room }) });
  firstReads.expect(expected.map((name) => ({ holder: `w-${name}`, address: addressOf(name) })));
};
const watchLists = async (...objects: Manifest[]): Promise<void> => {
  const watch = watched.watching.open();
  for (const { metadata } of objects) watch.send('ADDED', { metadata });
  watch.endOfList('55');
  await clock.settle();
};
const find = async (name: string, holder = `w-${name}`): Promise<Manifest | undefined> => {
  const handle = Object.assign(listed, {
    find: async (key: string) => {
      reads.push(key);
      return object(key.slice(3), 'read');
    },
  });
  const address = addressOf(name);
  const found = firstReads.over(holder, { ...address, type: listed.type }, handle).find(address.key);
  await clock.settle();
  return found;
};

beforeEach(() => {
  watched = new ScriptedResource<KubeObject>(configMaps);
  listed = new ScriptedResource<Manifest>(configMaps);
  listed.onList = () => [pageOf(...names.map((name) => object(name)))];
  tracker = createObjectTracker(
    { metadata: () => watched },
    { clock, log: silentLogger, metrics: noMetrics, random: () => 0 },
  );
  reads = [];
});

describe('objects that works applied before', () => {
  it('are read by one list of their namespace, after they are watched', async () => {
    begin();
    const first = find('cm-0');
    await clock.settle();
    expect(listed.lists).toEqual([]);
    await watchLists(...names.map((name) => object(name)));
    expect(await first).toEqual(object('cm-0'));
    for (const name of names.slice(1)) expect(await find(name)).toEqual(object(name));
    expect(listed.lists).toMatchObject([{ namespace: 'ns', pageSize: 250 }]);
    expect(reads).toEqual([]);
  });

  it('are read by themselves if they are few', async () => {
    begin(names.slice(0, 4));
    await find('cm-0');
    expect(listed.lists).toEqual([]);
    expect(watched.watches).toEqual([]);
    expect(reads).toEqual(['ns/cm-0']);
  });

  it('are read again at the second time, by another work, and after their work was passed over', async () => {
    begin();
    await watchLists(...names.map((name) => object(name)));
    await find('cm-0');
    await find('cm-0');
    await find('cm-1', 'w-cm-2');
    firstReads.release('w-cm-3');
    await find('cm-3');
    expect(reads).toEqual(['ns/cm-0', 'ns/cm-1', 'ns/cm-3']);
  });

  it('are read again if they changed, or ended, after they were listed', async () => {
    begin();
    await watchLists(...names.map((name) => object(name)));
    await find('cm-0');
    watched.watching.send('MODIFIED', { metadata: object('cm-1', '70').metadata ?? {} });
    watched.watching.send('DELETED', { metadata: object('cm-2', '71').metadata ?? {} });
    await clock.settle();
    for (const name of ['cm-1', 'cm-2', 'cm-3']) await find(name);
    expect(reads).toEqual(['ns/cm-1', 'ns/cm-2']);
  });

  it('are read by themselves if the list lacks them', async () => {
    listed.onList = () => [pageOf(object('cm-0'))];
    begin();
    await watchLists(...names.map((name) => object(name)));
    await find('cm-0');
    await find('cm-1');
    expect(reads).toEqual(['ns/cm-1']);
  });
});

describe('a list', () => {
  it('ends where it saves no more than it costs, among what others have', async () => {
    let pages = 0;
    const foreign = function* () {
      for (; pages < 100; pages += 1) yield pageOf(object(`foreign-${pages}`));
    };
    Object.assign(listed, {
      pages: async function* () {
        yield* foreign();
      },
    });
    begin();
    await watchLists(...names.map((name) => object(name)));
    await find('cm-0');
    // Ten objects may cost two pages: the second was taken and no third one asked for.
    expect(pages).toBe(1);
    expect(reads).toEqual(['ns/cm-0']);
  });

  it('keeps no more than there is room for', async () => {
    const size = JSON.stringify(object('cm-0')).length;
    begin(names, 3 * size);
    await watchLists(...names.map((name) => object(name)));
    for (const name of names) await find(name);
    expect(reads).toEqual(names.slice(3).map((name) => `ns/${name}`));
  });

  it.each([
    [
      'cannot be made',
      () => {
        listed.onList = () => {
          throw new KubeError('Forbidden', 'no list');
        };
      },
    ],
    [
      'has an end that expired',
      () => {
        Object.assign(listed, {
          pages: async function* () {
            yield pageOf(object('cm-9'));
            throw new KubeError('Expired', 'too old');
          },
        });
      },
    ],
  ])('that %s leaves the objects to be read by themselves', async (_, script) => {
    script();
    begin();
    await watchLists(...names.map((name) => object(name)));
    await find('cm-0');
    await find('cm-1');
    expect(reads).toEqual(['ns/cm-0', 'ns/cm-1']);
  });

  it('is not made where the objects cannot be watched', async () => {
    begin();
    watched.watching.fail(new KubeError('Forbidden', 'no watch'));
    await find('cm-0');
    expect(listed.lists).toEqual([]);
    expect(reads).toEqual(['ns/cm-0']);
  });

  it('does not wait for a watch for ever', async () => {
    begin();
    const found = find('cm-0');
    await clock.advance(10_000);
    await found;
    expect(reads).toEqual(['ns/cm-0']);
  });
});
