import type { KubeObject, OwnerReference } from '@flotilla/schema';
import { Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { StoreChange } from '../store/store.ts';
import { generationChanged, type KeysOf, on, owns } from './watch.ts';

const lease = (cluster?: string): KubeObject => ({
  metadata: { namespace: 'leases', name: 'a', ...(cluster !== undefined && { labels: { cluster } }) },
});
const clusterOf: KeysOf<KubeObject> = (object) => object.metadata?.labels?.cluster;

const added = (object: KubeObject, initial = false): StoreChange<KubeObject> => ({
  type: 'added',
  key: 'leases/a',
  object,
  initial,
});
const updated = (previous: KubeObject, object: KubeObject): StoreChange<KubeObject> => ({
  type: 'updated',
  key: 'leases/a',
  object,
  previous,
  initial: false,
});

function setUp(keysOf?: KeysOf<KubeObject>, filter?: (change: StoreChange<KubeObject>) => boolean) {
  const changes = new Subject<StoreChange<KubeObject>>();
  const woken: string[] = [];
  const failures: unknown[] = [];
  on({ changes, whenSynced: async () => {} }, keysOf, filter).subscribe(
    (key, priority) => woken.push(`${key} ${priority}`),
    (error) => failures.push(error),
    (error) => failures.push(`the stream: ${error}`),
  );
  return { changes, woken, failures };
}

describe('on', () => {
  it('wakes the key of the object, as backlog what was there at the start', () => {
    const { changes, woken } = setUp();
    changes.next(added(lease(), true));
    changes.next(updated(lease(), lease()));
    expect(woken).toEqual(['leases/a backlog', 'leases/a live']);
  });

  it('wakes the keys that an object is about', () => {
    const { changes, woken } = setUp(clusterOf);
    changes.next(added(lease('north')));
    changes.next(added(lease()));
    expect(woken).toEqual(['north live']);
  });

  it('enqueues the old and the new owner of an object whose reference changed', () => {
    const { changes, woken } = setUp(clusterOf);
    changes.next(updated(lease('north'), lease('south')));
    expect(woken).toEqual(['south live', 'north live']);
  });

  it('wakes several keys for one object', () => {
    const { changes, woken } = setUp(() => ['a', 'b']);
    changes.next(added(lease()));
    expect(woken).toEqual(['a live', 'b live']);
  });

  it('drops what the filter does not let through', () => {
    const { changes, woken } = setUp(undefined, ({ type }) => type !== 'added');
    changes.next(added(lease()));
    expect(woken).toEqual([]);
  });

  it('goes on after an object over which the mapping stumbles', () => {
    const { changes, woken, failures } = setUp((object) => {
      if (!object.metadata?.labels) throw new TypeError('no labels');
      return object.metadata.labels.cluster;
    });
    changes.next(added(lease()));
    changes.next(added(lease('north')));
    expect(woken).toEqual(['north live']);
    expect(failures).toEqual([new TypeError('no labels')]);
  });

  it('wakes what an object was about when the mapping stumbles over what it is now, and the reverse', () => {
    const { changes, woken, failures } = setUp((object) => {
      if (!object.metadata?.labels) throw new TypeError('no labels');
      return object.metadata.labels.cluster;
    });
    changes.next(updated(lease('north'), lease()));
    changes.next(updated(lease(), lease('south')));
    expect(woken).toEqual(['north live', 'south live']);
    expect(failures).toHaveLength(2);
  });

  it('goes on after a change over which the filter stumbles', () => {
    const { changes, woken, failures } = setUp(undefined, ({ previous }) => {
      if (!previous) throw new TypeError('nothing before');
      return true;
    });
    changes.next(added(lease()));
    changes.next(updated(lease(), lease()));
    expect(woken).toEqual(['leases/a live']);
    expect(failures).toEqual([new TypeError('nothing before')]);
  });

  it('distinguishes an error of the stream from one about a change', () => {
    const { changes, failures } = setUp();
    changes.error(new Error('broken'));
    expect(failures).toEqual(['the stream: Error: broken']);
  });

  it('takes any stream of keys', async () => {
    const keys = new Subject<string>();
    const woken: string[] = [];
    const watch = on(keys);
    await watch.whenSynced({});
    const subscription = watch.subscribe(
      (key) => woken.push(key),
      () => {},
      () => {},
    );
    keys.next('a');
    subscription.unsubscribe();
    keys.next('b');
    expect(woken).toEqual(['a']);
    expect(keys.observed).toBe(false);
  });
});

describe('owns', () => {
  const widgets = { group: 'example.com', version: 'v1', kind: 'Widget', plural: 'widgets', namespaced: true };
  const owned = (owner: Partial<OwnerReference>): KubeObject => ({
    metadata: {
      namespace: 'shop',
      name: 'a',
      ownerReferences: [
        { apiVersion: 'example.com/v1', kind: 'Widget', name: 'w', uid: 'u', controller: true, ...owner },
      ],
    },
  });

  it.each([
    ['wakes the controlling owner', owned({}), widgets, ['shop/w']],
    ['knows the owner in another version', owned({ apiVersion: 'example.com/v2' }), widgets, ['shop/w']],
    ['wakes an owner of the whole cluster', owned({}), { ...widgets, namespaced: false }, ['w']],
    ['leaves out an owner that does not control', owned({ controller: false }), widgets, []],
    ['leaves out another kind', owned({ kind: 'Gadget' }), widgets, []],
    ['leaves out a namesake of another group', owned({ apiVersion: 'v1' }), widgets, []],
    ['leaves out objects without an owner', lease(), widgets, []],
  ])('%s', (_, object, owner, keys) => {
    const changes = new Subject<StoreChange<KubeObject>>();
    const woken: string[] = [];
    owns({ changes, whenSynced: async () => {} }, owner).subscribe(
      (key) => woken.push(key),
      () => {},
      () => {},
    );
    changes.next(added(object));
    expect(woken).toEqual(keys);
  });
});

describe('generationChanged', () => {
  const at = (generation: number): KubeObject => ({ metadata: { name: 'a', generation } });

  it('keeps new objects and changes of the spec, and leaves out the rest', () => {
    expect(generationChanged(added(at(1)))).toBe(true);
    expect(generationChanged(updated(at(1), at(2)))).toBe(true);
    expect(generationChanged(updated(at(2), at(2)))).toBe(false);
  });
});
