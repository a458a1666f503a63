import { describe, expect, it } from 'vitest';
import { FakeClock } from '../testing/fake-clock.ts';
import { watchClockSteps } from './clock-steps.ts';
import { TimestampAges } from './timestamp-ages.ts';

const hourMs = 3_600_000;

describe('steps of the wall clock', () => {
  it.each([
    ['forward', hourMs],
    ['back', -hourMs],
  ])('are noticed within a minute, and once: %s', async (_direction, ms) => {
    const clock = new FakeClock();
    const end = new AbortController();
    let steps = 0;
    watchClockSteps(clock, end.signal, () => (steps += 1));
    await clock.advance(hourMs);
    clock.jump(ms);
    expect(steps).toBe(0);
    await clock.advance(60_000);
    expect(steps).toBe(1);
    await clock.advance(hourMs);
    expect(steps).toBe(1);
    end.abort();
    expect(clock.pending).toBe(0);
  });

  it('are not what NTP does all the time', async () => {
    const clock = new FakeClock();
    let steps = 0;
    watchClockSteps(clock, new AbortController().signal, () => (steps += 1));
    for (let minute = 0; minute < 100; minute += 1) {
      clock.jump(30);
      await clock.advance(60_000);
    }
    expect(steps).toBe(0);
  });
});

describe('the age of a timestamp', () => {
  it('is what the wall clock says at first, and what has passed from then on', async () => {
    const clock = new FakeClock();
    const ages = new TimestampAges(clock);
    const written = clock.now() - 10_000;
    expect(ages.of('a', written)).toBe(10_000);
    clock.jump(hourMs);
    await clock.advance(1000);
    expect(ages.of('a', written)).toBe(11_000);
    clock.jump(-2 * hourMs);
    expect(ages.of('a', written)).toBe(11_000);
    expect(ages.of('a', clock.now())).toBe(0);
    ages.forget('a');
    expect(ages.of('a', clock.now() + hourMs)).toBe(0);
  });
});
