import type { KubeObject } from '@flotilla/schema';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyOf } from '../meta/keys.ts';
import { MemoryStore } from './memory-store.ts';

const zoneOf = (object: KubeObject) => {
  const zone = object.metadata?.labels?.zone;
  return zone === undefined ? [] : [zone];
};

const cluster = (name: string, resourceVersion: number, zone?: string, uid = `uid-${name}`): KubeObject => ({
  metadata: { name, uid, resourceVersion: String(resourceVersion), ...(zone !== undefined && { labels: { zone } }) },
});

const names = (objects: readonly KubeObject[]) => objects.map(keyOf).sort();

describe('MemoryStore', () => {
  it('returns the change of each write, with what it held before', () => {
    const store = new MemoryStore();
    const [first, second, last] = [cluster('a', 1), cluster('a', 2), cluster('a', 3)];
    expect(store.set(first, true)).toEqual({ type: 'added', key: 'a', object: first, initial: true });
    expect(store.set(second)).toEqual({ type: 'updated', key: 'a', object: second, previous: first, initial: false });
    expect(store.delete(last)).toEqual({ type: 'deleted', key: 'a', object: last, previous: second, initial: false });
    expect(store.delete(last)).toBeUndefined();
    expect(store.size).toBe(0);
  });

  it('keeps namespaces apart', () => {
    const store = new MemoryStore();
    store.set({ metadata: { namespace: 'one', name: 'a' } });
    store.set({ metadata: { namespace: 'two', name: 'a' } });
    expect([...store.keys()]).toEqual(['one/a', 'two/a']);
  });

  it('ignores an event that is not newer than what it holds', () => {
    const store = new MemoryStore();
    const held = cluster('a', 10);
    store.set(held);
    expect(store.set(cluster('a', 10))).toBeUndefined();
    expect(store.set(cluster('a', 9))).toBeUndefined();
    expect(store.get('a')).toBe(held);
  });

  it('swaps on a list: the unlisted are deleted, the unchanged keep their identity and cause no change', () => {
    const store = new MemoryStore();
    const same = cluster('same', 1);
    for (const object of [same, cluster('changed', 2), cluster('gone', 3)]) store.set(object);
    const changes = store.replace([cluster('same', 1), cluster('changed', 5), cluster('new', 6)], false);
    expect(changes.map(({ type, key }) => `${type} ${key}`).sort()).toEqual([
      'added new',
      'deleted gone',
      'updated changed',
    ]);
    expect(store.get('same')).toBe(same);
    expect(names(store.list())).toEqual(['changed', 'new', 'same']);
  });

  it('believes a list whose versions go backwards, because the server was restored from a backup', () => {
    const store = new MemoryStore();
    store.set(cluster('a', 100));
    expect(store.replace([cluster('a', 40)], false)).toHaveLength(1);
    expect(store.get('a')?.metadata?.resourceVersion).toBe('40');
  });

  it('advances to the answer of a write, but never brings back what is gone or takes another incarnation', () => {
    const store = new MemoryStore();
    store.set(cluster('a', 1));
    expect(store.advance(cluster('a', 2))?.type).toBe('updated');
    expect(store.advance(cluster('a', 1))).toBeUndefined();
    expect(store.advance(cluster('a', 3, undefined, 'another'))).toBeUndefined();
    expect(store.advance(cluster('deleted meanwhile', 4))).toBeUndefined();
    expect(names(store.list())).toEqual(['a']);
  });

  it('indexes what was there before the index and what came after', () => {
    const store = new MemoryStore();
    store.set(cluster('a', 1, 'north'));
    store.addIndex('zone', zoneOf);
    store.addIndex('zone', zoneOf);
    store.set(cluster('b', 2, 'north'));
    expect(names(store.byIndex('zone', 'north'))).toEqual(['a', 'b']);
    store.set(cluster('a', 3, 'south'));
    expect(names(store.byIndex('zone', 'north'))).toEqual(['b']);
    expect(names(store.byIndex('zone', 'south'))).toEqual(['a']);
    store.clear();
    expect(store.byIndex('zone', 'north')).toEqual([]);
  });

  it('refuses an unknown index and a second function under one name', () => {
    const store = new MemoryStore();
    store.addIndex('zone', zoneOf);
    expect(() => store.byIndex('region', 'eu')).toThrow('addIndex');
    expect(() => store.addIndex('zone', () => [])).toThrow('another name');
  });

  it('stores an object for which an index function throws, and reports it', () => {
    const failures: string[] = [];
    const store = new MemoryStore({ onIndexFailure: (index, key) => failures.push(`${index} ${key}`) });
    store.addIndex('zone', () => {
      throw new Error('odd object');
    });
    expect(store.set(cluster('a', 1))?.type).toBe('added');
    expect(failures).toEqual(['zone a']);
  });
});

describe('MemoryStore against a naive model', () => {
  const zone = fc.constantFrom(undefined, 'north', 'south', 'east');
  const name = fc.constantFrom('a', 'b', 'c', 'd', 'ns/e');
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.record({ act: fc.constant('set' as const), name, zone }) },
    { weight: 2, arbitrary: fc.record({ act: fc.constant('delete' as const), name }) },
    { weight: 1, arbitrary: fc.record({ act: fc.constant('relist' as const), keep: fc.array(name), zone }) },
  );

  const object = (key: string, version: number, label: string | undefined): KubeObject => {
    const [first, second] = key.split('/');
    const made = cluster(second ?? key, version, label);
    return second === undefined ? made : { metadata: { ...made.metadata, namespace: first } };
  };

  it('equals the model after any sequence of events and re-lists, indexes and emitted changes included', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const store = new MemoryStore();
        store.addIndex('zone', zoneOf);
        const model = new Map<string, KubeObject>();
        const observed = new Map<string, KubeObject>();
        let version = 0;
        for (const next of steps) {
          version += 1;
          const changes = [];
          if (next.act === 'set') {
            const made = object(next.name, version, next.zone);
            model.set(next.name, made);
            changes.push(store.set(made));
          } else if (next.act === 'delete') {
            model.delete(next.name);
            changes.push(store.delete(object(next.name, version, undefined)));
          } else {
            const kept = [...new Set(next.keep)];
            const listed = kept.map(
              (key, at) => (at % 2 ? model.get(key) : undefined) ?? object(key, version, next.zone),
            );
            model.clear();
            for (const made of listed) model.set(keyOf(made), made);
            changes.push(...store.replace(listed, false));
          }
          for (const change of changes) {
            if (!change) continue;
            expect(change.previous).toEqual(observed.get(change.key));
            if (change.type === 'deleted') observed.delete(change.key);
            else observed.set(change.key, change.object);
          }
          expect(new Map([...store.keys()].map((key) => [key, store.get(key)]))).toEqual(model);
          expect(observed).toEqual(model);
          for (const value of ['north', 'south', 'east']) {
            const expected = [...model.values()].filter((made) => zoneOf(made).includes(value));
            expect(names(store.byIndex('zone', value))).toEqual(names(expected));
          }
        }
      }),
    );
  });
});
