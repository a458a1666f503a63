import { FakeClock } from '@flotilla/kube/testing';
import { describe, expect, it } from 'vitest';
import { createIssueLimiter } from './issue-limiter.ts';

const hourMs = 3_600_000;

describe('requests after certificates that cannot be used', () => {
  const scene = () => {
    const clock = new FakeClock();
    const limiter = createIssueLimiter(clock, () => 0.5);
    /** A certificate of an hour, issued by a hub whose clock is behind. Signers let a life begin five minutes earlier. */
    const issue = (leftMs: number, ageMs = 300_000) => {
      const now = clock.now();
      return limiter.observe({ notBefore: now - ageMs, notAfter: now + leftMs });
    };
    return { clock, limiter, issue };
  };

  it('wait longer and longer, and name the clock', async () => {
    const { clock, limiter, issue } = scene();
    expect(issue(-1)).toBeUndefined();
    expect(limiter.delay()).toBeUndefined();
    let last = 0;
    for (let count = 0; count < 20; count += 1) {
      expect(issue(-1)).toContain('set the clocks');
      const waitMs = limiter.delay()?.checkAfterMs ?? 0;
      expect(waitMs).toBeGreaterThanOrEqual(last);
      expect(waitMs).toBeLessThanOrEqual(hourMs);
      last = waitMs;
      await clock.advance(waitMs);
      expect(limiter.delay()).toBeUndefined();
    }
  });

  it('wait for certificates that are about to end, too', () => {
    const { limiter, issue } = scene();
    issue(1000);
    issue(1000);
    expect(limiter.delay()).toBeDefined();
  });

  it('do not wait for certificates that live for seconds only', () => {
    const { limiter, issue } = scene();
    for (let count = 0; count < 10; count += 1) expect(issue(20_000)).toBeUndefined();
    expect(limiter.delay()).toBeUndefined();
  });

  it.each([
    ['five minutes', 300_000],
    ['half a minute', 30_000],
  ])('wait while certificates of an hour come with %s left, and name the clock', async (_, leftMs) => {
    const { clock, limiter, issue } = scene();
    const ageMs = hourMs - leftMs;
    expect(issue(leftMs, ageMs)).toBeUndefined();
    let requests = 0;
    for (let passed = 0; passed < hourMs; requests += 1) {
      expect(issue(leftMs, ageMs)).toContain('set the clocks');
      const { checkAfterMs, why } = limiter.delay() ?? { checkAfterMs: 0, why: '' };
      expect(why).toContain(new Date(clock.now() - ageMs).toISOString());
      expect(checkAfterMs).toBeGreaterThanOrEqual(30_000);
      // A certificate that can be used is replaced before it ends.
      if (leftMs === 300_000) expect(checkAfterMs).toBeLessThan(leftMs);
      await clock.advance(checkAfterMs);
      passed += checkAfterMs;
    }
    expect(requests).toBeLessThan(20);
  });

  it('do not wait for certificates of minutes whose life began before they were issued', () => {
    const { limiter, issue } = scene();
    for (let count = 0; count < 10; count += 1) expect(issue(60_000)).toBeUndefined();
    expect(limiter.delay()).toBeUndefined();
  });

  it.each([['a usable one is issued'], ['the clock is set back']])('wait no longer when %s', async (what) => {
    const { clock, limiter, issue } = scene();
    issue(-1);
    issue(-1);
    if (what === 'the clock is set back') clock.jump(-hourMs);
    else issue(hourMs);
    expect(limiter.delay()).toBeUndefined();
  });
});
