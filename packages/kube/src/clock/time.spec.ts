import { expect, expectTypeOf, it } from 'vitest';
import { formatTime } from '../meta/time.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { type MonotonicTime, msBetween, timeAfter, type WallTime, wallTime } from './time.ts';

const clock = new FakeClock('2026-01-01T00:00:00Z');

it('computes durations and deadlines of one clock', () => {
  const deadline = timeAfter(clock.monotonic(), 500);
  expectTypeOf(deadline).toEqualTypeOf<MonotonicTime>();
  expect(msBetween(clock.monotonic(), deadline)).toBe(500);
  const since = wallTime(Date.parse('2025-12-31T23:59:59Z'));
  expectTypeOf(since).toEqualTypeOf<WallTime>();
  expect(msBetween(since, clock.now())).toBe(1000);
});

it('does not compile a duration between two clocks', () => {
  // @ts-expect-error: the start is of the wall clock, the end of the monotonic clock.
  msBetween(clock.now(), clock.monotonic());
  // @ts-expect-error: and the other way around.
  msBetween(clock.monotonic(), clock.now());
});

it('does not compile a time that is stored as one of the other clock', () => {
  // @ts-expect-error: a monotonic deadline is not a timestamp.
  const stored: WallTime = timeAfter(clock.monotonic(), 500);
  // @ts-expect-error: a timestamp is not a deadline.
  const deadline: MonotonicTime = clock.now();
  // @ts-expect-error: a sum does not say of which clock it is.
  const sum: MonotonicTime = clock.monotonic() + 500;
  // @ts-expect-error: others cannot read times of this process.
  const text = formatTime(clock.monotonic());
  expect([stored, deadline, sum, text]).toHaveLength(4);
});
