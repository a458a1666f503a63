import type { KubeObject } from '@flotilla/api-types';
import { Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { StoreChange } from '../store/store.ts';
import { type KeysOf, on } from './watch.ts';

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

  it('wakes the old and the new owner of an object whose reference moved', () => {
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

  it('takes any stream of keys', async () => {
    const keys = new Subject<string>();
    const woken: string[] = [];
    const watch = on(keys);
    await watch.whenSynced({});
    const subscription = watch.subscribe(
      (key) => woken.push(key),
      () => {},
    );
    keys.next('a');
    subscription.unsubscribe();
    keys.next('b');
    expect(woken).toEqual(['a']);
    expect(keys.observed).toBe(false);
  });
});
