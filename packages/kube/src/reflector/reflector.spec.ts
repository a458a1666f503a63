import type { KubeObject, ResourceType } from '@flotilla/schema';
import { Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { KubeError } from '../errors/kube-error.ts';
import { silentLogger } from '../log/logger.ts';
import { keyOf } from '../meta/keys.ts';
import { type KitMetrics, noMetrics } from '../metrics/kit-metrics.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { ScriptedResource } from '../testing/scripted-resource.ts';
import { reflect } from './reflect.ts';
import type { ReflectorEvent, ReflectorOptions } from './reflector.ts';

const things: ResourceType = { group: 'example.io', version: 'v1', kind: 'Thing', plural: 'things', namespaced: true };
const thing = (name: string, resourceVersion: string): KubeObject => ({
  metadata: { namespace: 'ns', name, resourceVersion },
});

const brief = (event: ReflectorEvent<KubeObject>): string => {
  if (event.type === 'replaced') return `replaced ${event.objects.map(keyOf).join(' ')}`;
  if (event.type === 'error') return event.error ? `error ${event.error.message}` : 'recovered';
  return `${event.type} ${keyOf(event.object)}@${event.object.metadata?.resourceVersion}`;
};

async function setUp(options: Partial<ReflectorOptions<KubeObject>> = {}) {
  const clock = new FakeClock();
  const resource = new ScriptedResource(things);
  const accessChanged = new Subject<void>();
  const restarts: string[] = [];
  const metrics: KitMetrics = { ...noMetrics, watchRestart: ({ reason }) => restarts.push(reason) };
  const events: string[] = [];
  const subscription = reflect({
    resource,
    accessChanged,
    transform: (object) => object,
    clock,
    log: silentLogger,
    metrics,
    random: () => 0.5,
    ...options,
  }).subscribe((event) => events.push(brief(event)));
  await clock.settle();
  /** The events since the last call. */
  const news = async () => {
    await clock.settle();
    return events.splice(0);
  };
  return { clock, resource, accessChanged, restarts, news, subscription };
}

/** A reflector that has listed `a` and watches from version 10. */
async function setUpWatching(options: Partial<ReflectorOptions<KubeObject>> & { monitored?: boolean } = {}) {
  const set = await setUp(options);
  set.resource.watching.open(options.monitored).send('ADDED', thing('a', '5')).endOfList('10');
  await set.news();
  return set;
}

describe('reflect', () => {
  it('emits a streaming list as one replacement and then continues with changes of the same stream', async () => {
    const { resource, news } = await setUp({ namespace: 'ns', labelSelector: 'app=x' });
    const watch = resource.watching.open();
    expect(watch.options).toMatchObject({ sendInitialEvents: true, namespace: 'ns', labelSelector: 'app=x' });
    watch.send('ADDED', thing('a', '1')).send('ADDED', thing('b', '2')).bookmark('2').send('MODIFIED', thing('a', '3'));
    expect(await news()).toEqual([]);
    watch.send('DELETED', thing('b', '4')).endOfList('4');
    expect(await news()).toEqual(['replaced ns/a']);
    watch.send('ADDED', thing('c', '5')).send('DELETED', thing('a', '6'));
    expect(await news()).toEqual(['applied ns/c@5', 'deleted ns/a@6']);
    expect(resource.watches).toHaveLength(1);
  });

  it('lists in pages where the server has no streaming list, then watches from the version of the list', async () => {
    const { resource, news } = await setUp();
    resource.onList = () => [
      { metadata: { resourceVersion: '8', continue: 'more' }, items: [thing('a', '1')] },
      { metadata: { resourceVersion: '8' }, items: [thing('b', '2')] },
    ];
    resource.watching.fail(new KubeError('Invalid', 'sendInitialEvents is forbidden'));
    expect(await news()).toEqual(['replaced ns/a ns/b']);
    expect(resource.watching.options).toMatchObject({ resourceVersion: '8' });
    resource.watching.open().fail(new KubeError('Expired', 'too old'));
    await news();
    expect(resource.lists).toHaveLength(2);
  });

  it('resumes from the last event or bookmark, at once, when the server ends the watch', async () => {
    const { clock, resource, news } = await setUpWatching();
    resource.watching.send('MODIFIED', thing('a', '11')).bookmark('15');
    await clock.advance(300_000 / 3);
    resource.watching.close();
    await news();
    expect(resource.watching.options.resourceVersion).toBe('15');
    expect(resource.watching.options.sendInitialEvents).toBeUndefined();
  });

  it('lists again when its version expired, and emits the result as one replacement', async () => {
    const { resource, news } = await setUpWatching();
    resource.watching.fail(new KubeError('Expired', 'too old resource version'));
    await news();
    resource.watching.open().send('ADDED', thing('b', '30')).endOfList('31');
    expect(await news()).toEqual(['replaced ns/b']);
  });

  it('waits before it resumes after a failure, reports the error with its step and cause, and its end', async () => {
    const { clock, resource, news, restarts } = await setUpWatching();
    resource.watching.fail(new KubeError('Unavailable', 'connection lost'));
    expect(await news()).toEqual(['error Unavailable: watch of things.example.io: connection lost']);
    await clock.advance(149);
    expect(resource.watches).toHaveLength(1);
    await clock.advance(1);
    expect(resource.watches).toHaveLength(2);
    resource.watching.open();
    expect(await news()).toEqual(['recovered']);
    expect(restarts).toEqual(['Unavailable']);
  });

  it('keeps trying, ever slower, while the server is away', async () => {
    const { clock, resource } = await setUpWatching();
    const times: number[] = [];
    for (let i = 0; i < 12; i += 1) {
      resource.watching.fail(new KubeError('Unavailable', 'refused'));
      const before = clock.monotonic();
      await clock.advanceToNext();
      times.push(clock.monotonic() - before);
    }
    expect(times.slice(0, 4)).toEqual([150, 300, 600, 1200]);
    expect(times.at(-1)).toBe(22_500);
    expect(resource.watching.options.resourceVersion).toBe('10');
  });

  it('replaces a watch over HTTP/1.1 that is silent for longer than a live server would be, within 60 s', async () => {
    const { clock, resource, restarts, news } = await setUpWatching({ monitored: false });
    const dead = resource.watching;
    await clock.advance(50_000);
    expect(dead.ended).toBe(true);
    expect(resource.watches).toHaveLength(2);
    expect(resource.watching.options.resourceVersion).toBe('10');
    expect(restarts).toEqual(['Silent']);
    expect(await news()).toEqual([]);
  });

  it('asks the server to speak up every 45 s where nothing else proves the connection', async () => {
    const { clock, resource } = await setUpWatching({ monitored: false });
    await clock.advance(50_000);
    const watch = resource.watching.open(false);
    expect(watch.options.timeoutSeconds).toBe(40);
    await clock.advance(38_000);
    watch.bookmark('20');
    await clock.advance(2_000);
    watch.close();
    await clock.settle();
    expect(resource.watching.options.resourceVersion).toBe('20');
  });

  it('leaves a healthy idle watch alone where the transport proves the connection', async () => {
    const { clock, resource } = await setUpWatching();
    expect(resource.watching.options.timeoutSeconds).toBe(450);
    for (let minute = 0; minute < 6; minute += 1) {
      await clock.advance(75_000);
      resource.watching.bookmark(String(20 + minute));
    }
    expect(resource.watches).toHaveLength(1);
    expect(resource.watching.ended).toBe(false);
  });

  it('lists again when a fresh watch is silent as well', async () => {
    const { clock, resource } = await setUpWatching();
    await clock.advance(150_000);
    resource.watching.open();
    await clock.advance(150_000);
    expect(resource.watching.options.sendInitialEvents).toBe(true);
  });

  it('moves its watch to new credentials without losing its place, and without an error', async () => {
    const { resource, accessChanged, news } = await setUpWatching();
    const old = resource.watching;
    accessChanged.next();
    expect(await news()).toEqual([]);
    expect(old.ended).toBe(true);
    expect(resource.watching.options.resourceVersion).toBe('10');
  });

  it('tries at once with new credentials when the old ones were refused', async () => {
    const { resource, accessChanged, news } = await setUpWatching();
    resource.watching.fail(new KubeError('Unauthorized', 'the token expired'));
    await news();
    accessChanged.next();
    await news();
    expect(resource.watches).toHaveLength(2);
  });

  it('does not begin a paged list anew for new credentials, because the next page uses them anyway', async () => {
    const { resource, accessChanged, news } = await setUp();
    resource.onList = () => {
      accessChanged.next();
      return [{ metadata: { resourceVersion: '8' }, items: [] }];
    };
    resource.watching.fail(new KubeError('Invalid', 'no streaming list'));
    await news();
    expect(resource.lists).toHaveLength(1);
    expect(resource.watching.options.resourceVersion).toBe('8');
  });

  it('transforms objects before it emits them, and reports an error of the transform function', async () => {
    const { resource, news } = await setUp({
      transform: (object) => {
        if (object.metadata?.name === 'odd') throw new TypeError('cannot read x');
        return { metadata: { name: object.metadata?.name, resourceVersion: 'transformed' } };
      },
    });
    resource.watching.open().send('ADDED', thing('a', '1')).endOfList('2').send('MODIFIED', thing('a', '3'));
    expect(await news()).toEqual(['replaced a', 'applied a@transformed']);
    resource.watching.send('ADDED', thing('odd', '4'));
    expect(await news()).toEqual(['error Internal: watch of things.example.io: cannot read x']);
  });

  it('reports an object without a name as an error instead of emitting it', async () => {
    const { resource, news } = await setUpWatching();
    resource.watching.send('ADDED', { metadata: { resourceVersion: '11' } });
    expect(await news()).toEqual([expect.stringMatching(/^error .*metadata\.name is not set/)]);
  });

  it('leaves nothing behind when the last subscriber leaves, in whatever state', async () => {
    const states: ((set: Awaited<ReturnType<typeof setUp>>) => unknown)[] = [
      () => {},
      ({ resource }) => resource.watching.open().endOfList('1'),
      ({ resource }) => resource.watching.fail(new KubeError('Unavailable', 'refused')),
    ];
    for (const enter of states) {
      const set = await setUp();
      enter(set);
      await set.news();
      set.subscription.unsubscribe();
      expect(await set.news()).toEqual([]);
      expect(set.resource.watching.ended).toBe(true);
      expect(set.clock.pending).toBe(0);
      expect(set.accessChanged.observed).toBe(false);
    }
  });
});

describe('the age of a watch', () => {
  const recorded = () => {
    const times: string[] = [];
    const watchActivity: KitMetrics['watchActivity'] = ({ resource }, at) => times.push(`${resource} ${at}`);
    return { times, metrics: { ...noMetrics, watchActivity } };
  };

  it('counts from the last event or bookmark, and from nothing that we did ourselves', async () => {
    const { times, metrics } = recorded();
    const { clock, resource, accessChanged } = await setUpWatching({ metrics, name: 'things' });
    const start = clock.now() / 1000;
    times.length = 0;
    await clock.advance(5_000);
    resource.watching.bookmark('11');
    await clock.advance(5_000);
    resource.watching.send('ADDED', thing('b', '12'));
    await clock.advance(5_000);
    accessChanged.next();
    await clock.settle();
    resource.watching.open();
    await clock.advance(5_000);
    expect(times).toEqual([`things ${start + 5}`, `things ${start + 10}`]);
  });

  it('counts from the list where there was no event yet', async () => {
    const { times, metrics } = recorded();
    const { clock, resource } = await setUp({ metrics, name: 'things' });
    resource.watching.fail(new KubeError('Invalid', 'sendInitialEvents is forbidden'));
    await clock.settle();
    expect(times).toEqual([`things ${clock.now() / 1000}`]);
  });
});
