import { timeAfter } from '@flotilla/kube/clock';
import { FakeClock } from '@flotilla/kube/testing';
import { expect, it } from 'vitest';
import { createHeartbeat } from '../event/create-event.ts';
import { EventLoss } from './event-loss.ts';

/** So many milliseconds after the start. */
const start = new FakeClock().monotonic();
const at = (ms: number) => timeAfter(start, ms);
const beat = (sent?: number) => ({
  ...createHeartbeat(),
  ...(sent !== undefined && { extensions: { sent: `${sent}` } }),
});

it('finds nothing while all is handled, and with servers that do not count', () => {
  const loss = new EventLoss();
  loss.reset();
  expect(loss.isNew(beat(), at(0))).toBe(false);
  loss.handled();
  loss.handled();
  expect(loss.isNew(beat(2), at(0))).toBe(false);
});

it('finds what was sent and not handled, once', () => {
  const loss = new EventLoss();
  loss.handled();
  expect(loss.isNew(beat(2), at(0))).toBe(true);
  expect(loss.isNew(beat(2), at(30_000))).toBe(false);
  // The answer to the resync.
  loss.handled();
  expect(loss.isNew(beat(3), at(40_000))).toBe(false);
});

it('asks less and less often for what cannot be handled at all', () => {
  const loss = new EventLoss();
  const asked: number[] = [];
  for (let second = 0, sent = 1; second < 7200; second += 10) {
    if (!loss.isNew(beat(sent), at(second * 1000))) continue;
    asked.push(second);
    // It comes again, and is not handled either.
    sent += 1;
  }
  expect(asked.slice(0, 5)).toEqual([0, 10, 30, 70, 150]);
  expect(asked.length).toBeLessThan(20);
});

it('begins anew with another stream', () => {
  const loss = new EventLoss();
  loss.handled();
  loss.reset();
  expect(loss.isNew(beat(1), at(0))).toBe(true);
});
