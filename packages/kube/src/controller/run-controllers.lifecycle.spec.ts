import { describe, expect, it, vi } from 'vitest';
import { KubeError } from '../errors/kube-error.ts';
import { gate, setUp } from './fixtures/woken-by-hand.ts';
import { after, done } from './result.ts';

describe('a run', () => {
  it('does not start before the caches it only reads are synced', async () => {
    const { clock, keys, run } = setUp();
    const synced = gate();
    const seen: string[] = [];
    await run(
      (key) => {
        seen.push(key);
        return done;
      },
      { reads: [{ whenSynced: () => synced.promise }] },
    );
    keys.next('a');
    await clock.settle();
    expect(seen).toEqual([]);
    synced.resolve();
    await clock.settle();
    expect(seen).toEqual(['a']);
  });

  it('rejects with the reason if a cache cannot be synced, after the others are drained', async () => {
    const { keys, forgotten, run } = setUp();
    const reason = new KubeError('Timeout', 'things was not listed within 120 s: Forbidden');
    const { ended } = await run(() => done, { reads: [{ whenSynced: async () => Promise.reject(reason) }] });
    await expect(ended).rejects.toBe(reason);
    expect(keys.observed).toBe(false);
    expect(forgotten).toEqual([{ controller: 'test' }]);
  });

  it('waits without a limit for the kinds of an optional controller, says so, and starts when they come', async () => {
    const { clock, keys, logged, run } = setUp();
    const synced = gate();
    const seen: string[] = [];
    const { isOver } = await run(
      (key) => {
        seen.push(key);
        return done;
      },
      {
        isOptional: true,
        reads: [
          {
            whenSynced: ({ timeoutMs }) =>
              Promise.race([
                synced.promise,
                new Promise<void>((_, reject) => {
                  const late = new KubeError('Timeout', 'things was not listed within 10 s: not found');
                  if (timeoutMs !== undefined) clock.schedule(timeoutMs, () => reject(late));
                }),
              ]),
          },
        ],
      },
    );
    keys.next('a');
    await clock.advance(86_400_000);
    expect([isOver(), seen]).toEqual([false, []]);
    expect(logged).toEqual(['warn waiting for the kinds of this controller to be served; other controllers run']);
    synced.resolve();
    // After so long, others of the process get a turn before it starts.
    await vi.waitFor(() => expect(seen).toEqual(['a']));
  });

  it('ends in good order when it is stopped while caches sync', async () => {
    const { stop, run } = setUp();
    const { ended } = await run(() => done, {
      reads: [
        {
          whenSynced: ({ signal }) =>
            new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
        },
      ],
    });
    stop.abort();
    await expect(ended).resolves.toBeUndefined();
  });

  it('lets running reconciles finish when it is stopped, and starts no more', async () => {
    const { clock, keys, stop, results, run } = setUp();
    const open = gate();
    const aborted: boolean[] = [];
    const { isOver } = await run(
      async (_, { signal }) => {
        await open.promise;
        aborted.push(signal.aborted);
        return after(1000, 'again');
      },
      { concurrency: 1 },
    );
    keys.next('running');
    keys.next('waiting');
    await clock.settle();
    stop.abort();
    await clock.advance(5_000);
    expect(isOver()).toBe(false);
    open.resolve();
    await clock.settle();
    expect(isOver()).toBe(true);
    expect([aborted, results]).toEqual([[false], ['after']]);
    expect(clock.pending).toBe(0);
  });

  it('aborts reconciles that do not finish in time, and leaves behind what ignores that', async () => {
    const { clock, keys, stop, logged, run } = setUp();
    const { isOver } = await run(
      (key, { signal }) =>
        new Promise((_, reject) => {
          if (key === 'polite') signal.addEventListener('abort', () => reject(signal.reason));
        }),
      { options: { drainTimeoutMs: 10_000 } },
    );
    keys.next('polite');
    keys.next('stubborn');
    await clock.settle();
    stop.abort();
    await clock.advance(10_000);
    expect(isOver()).toBe(false);
    await clock.advance(1_000);
    expect(isOver()).toBe(true);
    expect(logged).toEqual([
      'warn reconciles did not finish in time, aborting them',
      'error reconciles ignored their signal and were left behind',
    ]);
  });

  it('reports nothing any more of a reconcile that was left behind', async () => {
    const { clock, keys, stop, results, forgotten, run } = setUp();
    const { promise, resolve } = gate();
    await run(() => promise.then(() => done), { options: { drainTimeoutMs: 0 } });
    keys.next('stubborn');
    await clock.settle();
    stop.abort();
    await clock.advance(1_000);
    expect(forgotten).toEqual([{ controller: 'test' }]);
    resolve();
    await clock.settle();
    expect(results).toEqual([]);
  });
});
