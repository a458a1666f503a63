import { Observable, type Subscriber } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { KubeError } from '../errors/kube-error.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { type Controller, defineController } from './controller.ts';
import { gate, setUp } from './fixtures/woken-by-hand.ts';
import { after, done, TerminalError } from './result.ts';
import { runControllers } from './run-controllers.ts';
import { on, type Watch } from './watch.ts';

describe('runControllers', () => {
  it('reconciles each key that wakes, and counts the results', async () => {
    const { clock, keys, results, run } = setUp();
    const seen: string[] = [];
    await run(async (key) => {
      seen.push(key);
      return key === 'later' ? after(60_000, 'it is due then') : done;
    });
    keys.next('a');
    keys.next('a');
    keys.next('later');
    await clock.settle();
    expect(seen).toEqual(['a', 'later']);
    await clock.advance(60_000);
    expect(seen).toEqual(['a', 'later', 'later']);
    expect(results).toEqual(['done', 'after', 'after']);
  });

  it('works on at most as many keys at a time as it may, and never on one key twice', async () => {
    const { clock, keys, run } = setUp();
    const gates = new Map<string, ReturnType<typeof gate>>();
    const running: string[] = [];
    const twice: string[] = [];
    await run(
      async (key) => {
        // Not expected here: whatever a reconcile throws is caught.
        if (running.includes(key)) twice.push(key);
        running.push(key);
        const open = gate();
        gates.set(key, open);
        await open.promise;
        running.splice(running.indexOf(key), 1);
        return done;
      },
      { concurrency: 2 },
    );
    for (const key of ['a', 'b', 'c', 'a']) keys.next(key);
    await clock.settle();
    keys.next('a');
    await clock.settle();
    expect(running).toEqual(['a', 'b']);
    gates.get('b')?.resolve();
    await clock.settle();
    expect(running).toEqual(['a', 'c']);
    gates.get('a')?.resolve();
    await clock.settle();
    expect(running).toEqual(['c', 'a']);
    expect(twice).toEqual([]);
  });

  it('reports how many keys wait, and how long each did', async () => {
    const { clock, keys, depths, waits, run } = setUp();
    const { promise, resolve } = gate();
    await run(() => promise.then(() => done), { concurrency: 1 });
    for (const key of ['a', 'b', 'c']) keys.next(key);
    await clock.settle();
    expect(depths.at(-1)).toBe(2);
    await clock.advance(3_000);
    resolve();
    await expect.poll(() => depths.at(-1)).toBe(0);
    expect(waits).toEqual([0, 3, 3]);
  });

  it('survives whatever a reconcile throws, and tries again with back-off', async () => {
    const { clock, keys, results, logged, run } = setUp();
    const attempts: number[] = [];
    const thrown: unknown[] = [new Error('rejected'), 'a string', undefined, null];
    await run((_, { attempt }) => {
      attempts.push(attempt);
      // Synchronously: a panic before the first await.
      if (attempt <= thrown.length) throw thrown[attempt - 1];
      return done;
    });
    keys.next('a');
    await clock.advance(100 + 200 + 400 + 800);
    expect(attempts).toEqual([1, 2, 3, 4, 5]);
    expect(results).toEqual(['error', 'error', 'error', 'error', 'done']);
    expect(logged).toEqual(Array.from({ length: 4 }, () => 'warn reconcile failed'));
    expect(clock.pending).toBe(0);
  });

  it('treats a missing result like a failure', async () => {
    const { clock, keys, results, run } = setUp();
    const nothing: unknown = undefined;
    await run(() => nothing as ReturnType<Controller['reconcile']>);
    keys.next('a');
    await clock.settle();
    expect(results).toEqual(['error']);
  });

  it('does not try again after a terminal error until something changes', async () => {
    const { clock, keys, results, logged, run } = setUp();
    await run(() => {
      throw new TerminalError('the spec is contradictory');
    });
    keys.next('a');
    await clock.advance(3_600_000);
    expect(results).toEqual(['terminal']);
    expect(logged).toEqual(['error reconcile failed for good, waiting for a change']);
    keys.next('a');
    await clock.settle();
    expect(results).toEqual(['terminal', 'terminal']);
  });

  it('waits as long as the server asks for, and is quiet about conflicts', async () => {
    const { clock, keys, results, logged, run } = setUp();
    await run(() => {
      throw results.length === 0
        ? new KubeError('TooManyRequests', 'slow down', { retryAfterMs: 7_000 })
        : new KubeError('Conflict', 'another writer was faster');
    });
    keys.next('a');
    await clock.advance(6_999);
    expect(results).toEqual(['error']);
    await clock.advance(1);
    expect(results).toEqual(['error', 'error']);
    expect(logged).toEqual(['warn reconcile failed']);
  });

  it('makes a reconcile visible that takes too long, and aborts its signal', async () => {
    const { clock, keys, results, logged, run } = setUp();
    await run(
      (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
      { deadlineMs: 5_000 },
    );
    keys.next('a');
    await clock.advance(5_000);
    expect(logged).toEqual(['warn reconcile takes too long, aborting it', 'warn reconcile failed']);
    expect(results).toEqual(['error']);
  });

  it('subscribes again, with back-off, to a stream that errors, and says so', async () => {
    const { clock, logged, run, stop } = setUp();
    const seen: string[] = [];
    const subscribers: Subscriber<string>[] = [];
    const stream = new Observable<string>((subscriber) => {
      subscribers.push(subscriber);
      // As a stream does that cannot even start.
      if (subscribers.length === 2) subscriber.error(new Error('still broken'));
    });
    const { ended } = await run(
      async (key) => {
        seen.push(key);
        return done;
      },
      { watches: [on(stream)] },
    );
    subscribers[0]?.next('a');
    subscribers[0]?.error(new Error('broken'));
    await clock.advance(99);
    expect(subscribers).toHaveLength(1);
    await clock.advance(1);
    expect(subscribers).toHaveLength(2);
    await clock.advance(200);
    expect(subscribers).toHaveLength(3);
    subscribers[2]?.next('b');
    await clock.settle();
    expect(seen).toEqual(['a', 'b']);
    // A stream that worked again begins with the shortest wait.
    subscribers[2]?.error(new Error('broken again'));
    await clock.advance(100);
    expect(subscribers).toHaveLength(4);
    const line = 'error the stream of a watch failed and is subscribed to again';
    expect(logged).toEqual([line, line, line]);
    subscribers[3]?.error(new Error('broken at the end'));
    stop.abort();
    await ended;
    expect(clock.pending).toBe(0);
  });

  it('takes live changes before the backlog of the start', async () => {
    const { clock, run } = setUp();
    const seen: string[] = [];
    const synced = gate();
    const watch: Watch = {
      subscribe: (wake) => {
        wake('old-1', 'backlog');
        wake('old-2', 'backlog');
        wake('changed meanwhile', 'live');
        return { unsubscribe() {} };
      },
      whenSynced: () => synced.promise,
    };
    await run(
      async (key) => {
        seen.push(key);
        return done;
      },
      { watches: [watch] },
    );
    expect(seen).toEqual([]);
    synced.resolve();
    await clock.settle();
    expect(seen).toEqual(['changed meanwhile', 'old-1', 'old-2']);
  });

  it('lets others have a turn while it works through keys that never wait for the network', async () => {
    const { keys, run, stop } = setUp();
    let now = 0;
    const busy = Object.assign(new FakeClock(), { monotonic: () => (now += 3) });
    const seen: string[] = [];
    const { ended } = await run(
      (key) => {
        seen.push(key);
        return done;
      },
      { concurrency: 1, options: { clock: busy } },
    );
    setImmediate(() => seen.push('another turn'));
    for (let i = 0; i < 50; i += 1) keys.next(`key-${i}`);
    while (seen.length < 51) await busy.settle();
    expect(seen.indexOf('another turn')).toBeLessThan(25);
    stop.abort();
    await ended;
  });

  it('keeps nothing of a thousand keys that came and went', async () => {
    const { clock, keys, run } = setUp();
    const alive = new Set<string>();
    await run((key) => {
      if (!alive.has(key)) return done;
      if (key.endsWith('7')) throw new Error('not ready');
      return after(30_000, 'a heartbeat is due');
    });
    for (let i = 0; i < 1000; i += 1) {
      alive.add(`cluster-${i}`);
      keys.next(`cluster-${i}`);
      if (i % 50 === 0) await clock.settle();
    }
    await clock.settle();
    expect(clock.pending).toBe(1000);
    for (const key of [...alive]) {
      alive.delete(key);
      keys.next(key);
    }
    await clock.settle();
    expect(clock.pending).toBe(0);
  });

  it('refuses two controllers of one name, and ones that cannot work', async () => {
    const { stop, keys } = setUp();
    const controller = defineController({ name: 'duplicate', watches: [on(keys)], reconcile: () => done });
    await expect(runControllers([controller, controller], { signal: stop.signal })).rejects.toThrow(
      'named "duplicate"',
    );
    expect(() => defineController({ ...controller, watches: [] })).toThrow('watches nothing');
    expect(() => defineController({ ...controller, name: '' })).toThrow('no name');
    expect(() => defineController({ ...controller, concurrency: 0 })).toThrow('concurrency');
  });
});

describe('a controller whose caches are not synced', () => {
  it('says so after ten seconds and goes on waiting', async () => {
    const { clock, stop, logged, run } = setUp();
    const watch: Watch = {
      subscribe: () => ({ unsubscribe() {} }),
      whenSynced: ({ timeoutMs = 0 }) =>
        clock.sleep(timeoutMs).then(() => {
          throw new KubeError('Timeout', 'widgets were not listed');
        }),
    };
    const { isOver } = await run(async () => done, { watches: [watch], options: { syncTimeoutMs: 60_000 } });
    await clock.advance(10_000);
    expect(logged).toEqual(['warn this controller waits for its caches']);
    expect(isOver()).toBe(false);
    stop.abort();
    await clock.advance(60_000);
    expect(isOver()).toBe(true);
  });
});
