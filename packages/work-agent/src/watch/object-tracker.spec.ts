import { KubeError, silentLogger } from '@flotilla/kube';
import { type ConfigMap, configMaps, pods } from '@flotilla/kube/kinds';
import { type KitMetrics, noMetrics } from '@flotilla/kube/metrics';
import { FakeClock } from '@flotilla/kube/testing';
import { ScriptedResource } from '@flotilla/kube/testing/internal';
import type { KubeObject } from '@flotilla/schema';
import { beforeEach, describe, expect, it } from 'vitest';
import { createObjectTracker, type ObjectTracker } from './object-tracker.ts';

const clock = new FakeClock();
let resource: ScriptedResource<KubeObject>;
let tracker: ObjectTracker;
let woken: string[];
/** What there are metrics of. */
const measured = new Set<string>();
const metrics: KitMetrics = {
  ...noMetrics,
  watchActivity: ({ resource: name }) => measured.add(name),
  forget: (subject) => 'resource' in subject && measured.delete(subject.resource),
};

beforeEach(() => {
  resource = new ScriptedResource<KubeObject>(configMaps);
  tracker = createObjectTracker({ metadata: () => resource }, { clock, log: silentLogger, metrics, random: () => 0 });
  woken = [];
  tracker.watchOf('w').subscribe(
    (holder, priority) => woken.push(`w${holder} ${priority}`),
    () => {},
    () => {},
  );
});

const at = (name: string, namespace = 'ns') => ({ type: configMaps, key: `${namespace}/${name}` });
const object = (name: string, resourceVersion: string, namespace = 'ns'): ConfigMap => ({
  metadata: { namespace, name, uid: `uid-${name}`, resourceVersion, managedFields: [{ manager: 'other' }] },
});

const listed = async (...objects: ConfigMap[]): Promise<void> => {
  const watch = resource.watching.open();
  for (const each of objects) watch.send('ADDED', each);
  watch.endOfList('100');
  await clock.settle();
};

describe('an object that a holder tracks', () => {
  it('is cached from the list on, without managedFields', async () => {
    tracker.track('w1', at('a'));
    expect(tracker.cached(at('a'))).toEqual({ kind: 'unknown' });
    await listed(object('a', '50'));
    expect(tracker.cached(at('a'))).toEqual({
      kind: 'present',
      metadata: { namespace: 'ns', name: 'a', uid: 'uid-a', resourceVersion: '50' },
    });
    expect(woken).toEqual(['w1 backlog']);
  });

  it('wakes all who hold it for each change and for its end', async () => {
    tracker.track('w1', at('a'));
    tracker.track('w2', at('a'));
    await listed(object('a', '50'));
    woken.length = 0;
    resource.watching.send('MODIFIED', object('a', '101'));
    await clock.settle();
    expect(woken).toEqual(['w1 live', 'w2 live']);
    resource.watching.send('DELETED', object('a', '102'));
    await clock.settle();
    expect(tracker.cached(at('a'))).toEqual({ kind: 'deleted', resourceVersion: '102' });
    expect(woken).toHaveLength(4);
  });

  it('does not wake who changed it, but the others', async () => {
    tracker.track('w1', at('a'));
    tracker.track('w2', at('a'));
    await listed(object('a', '50'));
    woken.length = 0;
    tracker.advance('w1', at('a'), object('a', '101').metadata ?? {});
    resource.watching.send('MODIFIED', object('a', '101'));
    await clock.settle();
    expect(woken).toEqual(['w2 live']);
  });

  it('is not taken for gone by a list from before it was made', async () => {
    tracker.track('w1', at('a'));
    tracker.advance('w1', at('a'), object('a', '101').metadata ?? {});
    await listed();
    expect(tracker.cached(at('a'))).toMatchObject({ kind: 'present' });
    expect(woken).toEqual([]);
  });

  it('is asked for if a later list does not have it', async () => {
    tracker.track('w1', at('a'));
    tracker.advance('w1', at('a'), object('a', '99').metadata ?? {});
    await listed();
    expect(tracker.cached(at('a'))).toEqual({ kind: 'unknown' });
    expect(woken).toEqual(['w1 backlog']);
  });

  it('is not taken for gone by the end of an earlier one of its name', async () => {
    tracker.track('w1', at('a'));
    await listed(object('a', '50'));
    const anew = { ...object('a', '103').metadata, uid: 'uid-anew' };
    tracker.advance('w1', at('a'), anew);
    woken.length = 0;
    resource.watching.send('DELETED', object('a', '102'));
    resource.watching.send('ADDED', { metadata: anew });
    await clock.settle();
    expect(tracker.cached(at('a'))).toMatchObject({ kind: 'present', metadata: { uid: 'uid-anew' } });
    expect(woken).toEqual([]);
  });

  it('is not known while the watch is not open', async () => {
    tracker.track('w1', at('a'));
    await listed(object('a', '50'));
    expect(tracker.isFollowing(at('a'))).toBe(true);
    resource.watching.fail(new Error('lost'));
    await clock.settle();
    expect(tracker.isFollowing(at('a'))).toBe(false);
    expect(tracker.cached(at('a'))).toEqual({ kind: 'unknown' });
  });
});

describe('watches', () => {
  it('are as narrow as what is held, grow with it, and are shared', async () => {
    tracker.track('w1', at('a'));
    expect(resource.watching.options).toMatchObject({ namespace: 'ns', fieldSelector: 'metadata.name=a' });
    tracker.track('w1', at('b'));
    tracker.track('w1', at('c'));
    await clock.settle();
    expect(tracker.size).toEqual({ kinds: 1, watches: 1 });
    expect(resource.watching.options.namespace).toBe('ns');
    expect(resource.watching.options.fieldSelector).toBeUndefined();
    for (const namespace of ['n2', 'n3', 'n4', 'n5']) tracker.track('w2', at('a', namespace));
    await clock.settle();
    expect(resource.watching.options.namespace).toBeUndefined();
    expect(tracker.size.watches).toBe(1);
  });

  it('end with the last who holds something', async () => {
    tracker.track('w1', at('a'));
    tracker.track('w2', { type: pods, key: 'ns/p' });
    const [first] = resource.watches;
    tracker.keep('w1', []);
    await clock.settle();
    expect(first?.ended).toBe(true);
    expect(tracker.size).toEqual({ kinds: 1, watches: 1 });
    tracker.keep('w2', [at('b')]);
    expect(tracker.size).toEqual({ kinds: 1, watches: 1 });
    tracker.close();
    expect(tracker.size).toEqual({ kinds: 0, watches: 0 });
  });

  it('leave no metrics behind', async () => {
    measured.clear();
    tracker.track('w1', at('a'));
    await listed(object('a', '50'));
    expect([...measured]).toEqual(['applied configmaps in ns with fields metadata.name=a']);
    tracker.keep('w1', []);
    await clock.settle();
    expect([...measured]).toEqual([]);
  });

  it('keep nothing of what others have', async () => {
    for (const name of ['a', 'b', 'c']) tracker.track('w1', at(name));
    const foreign = Array.from({ length: 1000 }, (_, index) => object(`foreign-${index}`, '10'));
    await listed(...foreign, object('a', '50'));
    resource.watching.send('MODIFIED', object('foreign-1', '101'));
    await clock.settle();
    expect(woken).toEqual(['w1 backlog']);
    expect(tracker.cached(at('foreign-1'))).toEqual({ kind: 'unknown' });
  });
});

describe('a server that was restored from a backup', () => {
  const restored = async (...objects: ConfigMap[]): Promise<void> => {
    resource.watching.fail(new KubeError('Expired', 'too old'));
    await clock.settle();
    const watch = resource.watching.open();
    for (const each of objects) watch.send('ADDED', each);
    watch.endOfList('60');
    await clock.settle();
  };

  it('makes doubtful what is known from after the backup, and nothing else', async () => {
    for (const name of ['changed', 'made', 'deleted', 'same']) tracker.track(`w-${name}`, at(name));
    await listed(object('changed', '50'), object('deleted', '51'), object('same', '52'));
    resource.watching.send('MODIFIED', object('changed', '101'));
    resource.watching.send('ADDED', object('made', '102'));
    resource.watching.send('DELETED', object('deleted', '103'));
    await clock.settle();
    woken.length = 0;
    await restored(object('changed', '50'), object('deleted', '51'), object('same', '52'));
    expect(tracker.cached(at('changed'))).toEqual({ kind: 'unknown' });
    expect(tracker.cached(at('made'))).toEqual({ kind: 'unknown' });
    expect(tracker.cached(at('deleted'))).toEqual({ kind: 'unknown' });
    expect(tracker.cached(at('same'))).toMatchObject({ kind: 'present', metadata: { resourceVersion: '52' } });
    expect(woken.sort()).toEqual(['w-changed live', 'w-deleted live', 'w-made live']);
  });

  it('is noticed also when it has reached later versions since then', async () => {
    tracker.track('w1', at('a'));
    await listed(object('a', '50'));
    resource.watching.send('MODIFIED', object('a', '55'));
    await clock.settle();
    await restored(object('a', '50'));
    expect(tracker.cached(at('a'))).toEqual({ kind: 'unknown' });
    tracker.advance('w1', at('a'), object('a', '50').metadata ?? {});
    resource.watching.send('MODIFIED', object('a', '61'));
    await clock.settle();
    expect(tracker.cached(at('a'))).toMatchObject({ kind: 'present', metadata: { resourceVersion: '61' } });
  });

  it('is not suspected by the first list, which may be older than a write', async () => {
    tracker.track('w1', at('a'));
    tracker.advance('w1', at('a'), object('a', '105').metadata ?? {});
    await listed(object('a', '50'));
    expect(tracker.cached(at('a'))).toMatchObject({ kind: 'present', metadata: { resourceVersion: '105' } });
    expect(woken).toEqual([]);
  });
});
