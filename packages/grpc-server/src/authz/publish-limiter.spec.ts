import { FakeClock } from '@flotilla/kube/testing';
import { describe, expect, it } from 'vitest';
import { PublishLimiter } from './publish-limiter.ts';

/** How many of so many events of a cluster pass. */
const passed = (limiter: PublishLimiter, cluster: string, count: number): number =>
  Array.from({ length: count }).filter(() => {
    try {
      limiter.take(cluster);
      return true;
    } catch {
      return false;
    }
  }).length;

describe('the events of a cluster', () => {
  it('are bounded, and those of another one are not affected', async () => {
    const clock = new FakeClock();
    const limiter = new PublishLimiter(clock);
    expect(passed(limiter, 'noisy', 10_000)).toBe(2000);
    expect(() => limiter.take('noisy')).toThrow(/cluster noisy sends more than 500 events a second/);
    expect(passed(limiter, 'quiet', 100)).toBe(100);
    await clock.advance(1000);
    expect(passed(limiter, 'noisy', 10_000)).toBe(500);
  });
});
