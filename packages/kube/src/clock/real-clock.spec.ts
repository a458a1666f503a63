import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { realClock } from './real-clock.ts';

describe('realClock', () => {
  // These fake timers are of the runtime underneath: the clock itself is the thing under test.
  beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] }));
  afterEach(() => vi.useRealTimers());

  it('runs a callback once, after its delay', () => {
    const callback = vi.fn();
    realClock.schedule(100, callback);
    vi.advanceTimersByTime(99);
    expect(callback).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1000);
    expect(callback).toHaveBeenCalledTimes(1);
  });

  it('does not run a cancelled callback', () => {
    const callback = vi.fn();
    realClock.schedule(100, callback)();
    vi.advanceTimersByTime(1000);
    expect(callback).not.toHaveBeenCalled();
  });

  it('waits longer than the 24.8 days that a Node timer can', () => {
    const callback = vi.fn();
    const days = 24 * 60 * 60 * 1000;
    realClock.schedule(60 * days, callback);
    vi.advanceTimersByTime(59 * days);
    expect(callback).not.toHaveBeenCalled();
    vi.advanceTimersByTime(days);
    expect(callback).toHaveBeenCalledTimes(1);
  });

  it('rejects a sleep with the reason of the signal, also if it was aborted before', async () => {
    const controller = new AbortController();
    const slept = realClock.sleep(1000, controller.signal);
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(slept).rejects.toBe(reason);
    await expect(realClock.sleep(1000, controller.signal)).rejects.toBe(reason);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('resolves a sleep after its time', async () => {
    const slept = realClock.sleep(1000, new AbortController().signal);
    vi.advanceTimersByTime(1000);
    await expect(slept).resolves.toBeUndefined();
  });
});
