import { describe, expect, it } from 'vitest';
import { FakeClock } from '../testing/fake-clock.ts';
import { KeyQueue } from './queue.ts';

function setUp({ batchPeriodMs }: { batchPeriodMs?: number } = {}) {
  const clock = new FakeClock();
  const queue = new KeyQueue({ clock, backoff: { baseMs: 100, maxMs: 1000 }, random: () => 1, batchPeriodMs });
  const pass = (outcome: Parameters<KeyQueue['finish']>[1] = { kind: 'done' }) => {
    const item = queue.take();
    if (item) queue.finish(item.key, outcome);
    return item?.key;
  };
  return { clock, queue, pass };
}

describe('KeyQueue', () => {
  it('gives a key once, however often it was added', () => {
    const { queue, pass } = setUp();
    for (let i = 0; i < 5; i += 1) queue.add('a');
    expect([pass(), pass()]).toEqual(['a', undefined]);
  });

  it('gives a key that was added while it was worked on once more, and not at the same time', () => {
    const { queue, pass } = setUp();
    queue.add('a');
    queue.take();
    queue.add('a');
    queue.add('a');
    expect(queue.take()).toBeUndefined();
    queue.finish('a', { kind: 'done' });
    expect([pass(), pass()]).toEqual(['a', undefined]);
  });

  it('gives live changes before the backlog, in the order of their arrival', () => {
    const { queue, pass } = setUp();
    queue.add('old-1', 'backlog');
    queue.add('old-2', 'backlog');
    queue.add('new-1');
    queue.add('new-2');
    expect([pass(), pass(), pass(), pass()]).toEqual(['new-1', 'new-2', 'old-1', 'old-2']);
  });

  it('moves a key of the backlog forward when its object changes, and never back', () => {
    const { queue, pass } = setUp();
    for (const key of ['a', 'b', 'c']) queue.add(key, 'backlog');
    queue.add('c', 'live');
    queue.add('c', 'backlog');
    expect([pass(), pass(), pass(), pass()]).toEqual(['c', 'a', 'b', undefined]);
  });

  it('keeps the priority of a live change that came while the key was worked on', () => {
    const { queue, pass } = setUp();
    queue.add('a', 'backlog');
    queue.take();
    queue.add('a', 'live');
    queue.add('a', 'backlog');
    queue.add('b', 'backlog');
    queue.finish('a', { kind: 'done' });
    expect([pass(), pass()]).toEqual(['a', 'b']);
  });

  it('takes the earliest of several delayed adds', async () => {
    const { clock, queue, pass } = setUp();
    queue.addAfter('a', 500);
    queue.addAfter('a', 200);
    queue.addAfter('a', 900);
    await clock.advance(199);
    expect(pass()).toBeUndefined();
    await clock.advance(1);
    expect(pass()).toBe('a');
    await clock.advance(5000);
    expect(pass()).toBeUndefined();
    expect(clock.pending).toBe(0);
  });

  it('drops a delayed add when the key is added at once', async () => {
    const { clock, queue, pass } = setUp();
    queue.addAfter('a', 200);
    queue.add('a');
    expect(clock.pending).toBe(0);
    expect(pass()).toBe('a');
    await clock.advance(1000);
    expect(pass()).toBeUndefined();
  });

  it('backs off longer with each failure, up to the limit, and forgets that on success', async () => {
    const { clock, queue, pass } = setUp();
    queue.add('a');
    const delays: number[] = [];
    for (let i = 0; i < 6; i += 1) {
      pass({ kind: 'retry' });
      const before = clock.monotonic();
      await clock.advanceToNext();
      delays.push(clock.monotonic() - before);
    }
    expect(delays).toEqual([100, 200, 400, 800, 1000, 1000]);
    expect(queue.take()?.attempt).toBe(7);
    queue.finish('a', { kind: 'done' });
    queue.add('a');
    expect(queue.take()?.attempt).toBe(1);
  });

  it('waits at least as long as the server asked for', async () => {
    const { clock, queue, pass } = setUp();
    queue.add('a');
    pass({ kind: 'retry', atLeastMs: 5000 });
    await clock.advance(4999);
    expect(queue.depth).toBe(0);
    await clock.advance(1);
    expect(queue.depth).toBe(1);
  });

  it('lets a change jump the back-off, but still counts the failures', () => {
    const { queue, pass } = setUp();
    queue.add('a');
    pass({ kind: 'retry' });
    queue.add('a');
    expect(queue.take()?.attempt).toBe(2);
  });

  it('keeps a failing key of the backlog behind live changes', async () => {
    const { clock, queue, pass } = setUp();
    queue.add('old', 'backlog');
    pass({ kind: 'retry' });
    await clock.advance(100);
    queue.add('new');
    expect([pass(), pass()]).toEqual(['new', 'old']);
  });

  it('requeues a key after the time that its reconcile asked for', async () => {
    const { clock, queue, pass } = setUp();
    queue.add('a');
    pass({ kind: 'after', ms: 60_000 });
    await clock.advance(60_000);
    expect(pass()).toBe('a');
  });

  it('reports how long a key was ready', async () => {
    const { clock, queue } = setUp();
    queue.add('a', 'backlog');
    await clock.advance(30);
    queue.add('a', 'live');
    await clock.advance(12);
    expect(queue.take()?.waitedMs).toBe(42);
  });

  it('keeps nothing of a thousand keys that came and went', async () => {
    const { clock, queue, pass } = setUp();
    for (let i = 0; i < 1000; i += 1) {
      queue.add(`cluster-${i}`);
      pass(i % 2 ? { kind: 'retry' } : { kind: 'after', ms: 1000 });
      queue.add(`cluster-${i}`);
      pass();
    }
    expect(queue.tracked).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it('drops what waits when closed, lets running work finish, and takes nothing more', () => {
    const { clock, queue } = setUp();
    for (const key of ['running', 'ready', 'again']) queue.add(key);
    queue.addAfter('delayed', 100);
    queue.take();
    queue.close();
    queue.add('late');
    queue.finish('running', { kind: 'retry' });
    expect(queue.take()).toBeUndefined();
    expect([queue.depth, queue.tracked, clock.pending]).toEqual([0, 0, 0]);
  });

  it('gives what is added within the batch period of a key together, and after a quiet one at once', async () => {
    const { clock, queue, pass } = setUp({ batchPeriodMs: 100 });
    queue.add('a');
    expect(pass()).toBe('a');
    await clock.advance(50);
    queue.add('a');
    queue.add('a');
    queue.add('b');
    expect([pass(), pass()]).toEqual(['b', undefined]);
    await clock.advance(50);
    expect([pass(), pass()]).toEqual(['a', undefined]);
    await clock.advance(100);
    expect(queue.tracked).toBe(0);
    queue.add('a');
    expect(pass()).toBe('a');
  });

  it('counts failures and delays after the batch period, and keeps none of it when closed', async () => {
    const { clock, queue, pass } = setUp({ batchPeriodMs: 100 });
    queue.add('a');
    pass({ kind: 'retry' });
    await clock.advance(199);
    expect(queue.depth).toBe(0);
    await clock.advance(1);
    expect(queue.take()?.attempt).toBe(2);
    queue.finish('a', { kind: 'done' });
    queue.finish('a', { kind: 'retry' });
    queue.add('a');
    queue.close();
    expect([queue.depth, queue.tracked, clock.pending]).toEqual([0, 0, 0]);
  });
});
