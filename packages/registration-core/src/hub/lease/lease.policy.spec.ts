import { timeAfter, wallTime } from '@flotilla/kube/clock';
import { FakeClock } from '@flotilla/kube/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newCluster } from '../fixtures/running-hub.ts';
import type { Flaps, Heartbeat } from './heartbeats.ts';
import { evaluateHeartbeat, graceOf, type HubTime } from './lease.policy.ts';

const cluster = newCluster('c1', { spec: { leaseDurationSeconds: 60 } });
const start = wallTime(Date.parse('2026-01-01T00:00:00Z'));
const hubStart = new FakeClock().monotonic();
/** So long after the start of the hub. */
const since = (ms: number) => timeAfter(hubStart, ms);
const beat = (parts: Partial<Heartbeat> = {}): Heartbeat => ({
  renewedAt: start,
  seenAt: start,
  seenMonotonic: hubStart,
  witnessed: true,
  ...parts,
});
const at = (ms: number, blindAt?: number): HubTime => ({
  monotonic: since(ms),
  blindAt: blindAt === undefined ? undefined : since(blindAt),
});

describe('the evaluation of a heartbeat', () => {
  it.each([
    ['renewed 5 min ago', 300_000, true, 300_000],
    ['renewed 4 min ago', 240_000, false, 60_000],
    ['renewed 30 s ago', 30_000, false, 270_000],
  ])('[registration-hub 83] %s', (_, ms, expired, nextCheckMs) => {
    expect(evaluateHeartbeat(cluster, beat(), at(ms), 5)).toMatchObject({ expired, nextCheckMs });
  });

  it('does not compile with a time of the wall clock, which does not measure silence', () => {
    // @ts-expect-error: it was seen at a monotonic time.
    beat({ seenMonotonic: start });
    // @ts-expect-error: now is a monotonic time.
    expect(evaluateHeartbeat(cluster, beat(), { monotonic: start, blindAt: undefined }, 5).expired).toBe(true);
  });

  it('counts five minutes for a cluster that says no lease duration', () => {
    expect(graceOf(newCluster('c1'), 5)).toBe(300_000);
    expect(graceOf(newCluster('c1', { spec: { leaseDurationSeconds: 0 } }), 5)).toBe(300_000);
  });

  it('starts anew when the hub could not watch leases: that is not the silence of clusters', () => {
    expect(evaluateHeartbeat(cluster, beat(), at(600_000, 599_000), 5)).toMatchObject({
      expired: false,
      nextCheckMs: 299_000,
    });
    expect(evaluateHeartbeat(cluster, beat(), at(900_000, 599_000), 5).expired).toBe(true);
  });

  it('does not depend on the clock of the agent once a renewal was seen', () => {
    fc.assert(
      fc.property(fc.integer(), fc.nat(1_000_000), fc.integer({ min: 2, max: 10 }), (renewedAt, ms, factor) => {
        const { expired } = evaluateHeartbeat(cluster, beat({ renewedAt }), at(ms), factor);
        expect(expired).toBe(ms >= 60_000 * factor);
      }),
    );
  });

  it('has one grace period more for each flap, up to four in all, and forgets one in ten graces', () => {
    const silentFor = (flaps: Flaps | undefined, ms: number) =>
      evaluateHeartbeat(cluster, beat({ seenMonotonic: since(1e7), ...(flaps && { flaps }) }), at(1e7 + ms), 5).expired;
    const recent = (count: number) => ({ count, at: since(1e7) });
    expect([silentFor(undefined, 300_000), silentFor(recent(1), 300_000), silentFor(recent(1), 600_000)]).toEqual([
      true,
      false,
      true,
    ]);
    expect([silentFor(recent(3), 1_199_000), silentFor(recent(3), 1_200_000)]).toEqual([false, true]);
    expect(silentFor({ count: 1, at: since(1e7 - 3_000_000) }, 300_000)).toBe(true);
    expect(silentFor({ count: 2, at: since(1e7 - 3_000_000) }, 300_000)).toBe(false);
  });

  it('lets a cluster that comes and goes be unknown a few times, and not at each late heartbeat', () => {
    fc.assert(
      fc.property(fc.integer({ min: 301, max: 1199 }), (lateSeconds) => {
        const heartbeats = { flaps: undefined as Flaps | undefined, flips: 0 };
        for (let round = 1; round <= 40; round++) {
          const seenMonotonic = round * lateSeconds * 1000;
          const { flaps } = heartbeats;
          const last = beat({ seenMonotonic: since(seenMonotonic), ...(flaps && { flaps }) });
          // Just before the next heartbeat arrives.
          const decision = evaluateHeartbeat(cluster, last, at(seenMonotonic + lateSeconds * 1000 - 1), 5);
          if (!decision.expired) continue;
          heartbeats.flips++;
          heartbeats.flaps = decision.flaps;
        }
        // Without damping it would be 40. With it: a few at first, then one each time that a flap is forgotten.
        expect(heartbeats.flips).toBeLessThanOrEqual(3 + Math.ceil((40 * lateSeconds) / 3000));
      }),
    );
  });

  it('always checks again: later, and not later than the grace period that its flaps allow', () => {
    const clocks = fc.record({ renewedAt: fc.option(fc.integer(), { nil: undefined }), witnessed: fc.boolean() });
    const past = fc.option(fc.record({ count: fc.integer({ min: 1, max: 5 }), before: fc.nat(10_000_000) }), {
      nil: undefined,
    });
    const longest = new Set<number>();
    fc.assert(
      fc.property(
        clocks,
        fc.nat(10_000_000),
        fc.option(fc.nat(10_000_000), { nil: undefined }),
        past,
        (parts, ms, before, flapped) => {
          const blindAt = before === undefined ? undefined : Math.max(0, ms - before);
          const flaps = flapped && { count: flapped.count, at: since(Math.max(0, ms - flapped.before)) };
          const last = beat({ ...parts, ...(flaps && { flaps }) });
          const { nextCheckMs } = evaluateHeartbeat(cluster, last, at(ms, blindAt), 5);
          const graces = Math.min(4, 1 + (flapped?.count ?? 0));
          expect(nextCheckMs).toBeGreaterThan(0);
          expect(nextCheckMs).toBeLessThanOrEqual(graces * 300_000);
          longest.add(Math.ceil(nextCheckMs / 300_000));
        },
      ),
      { numRuns: 1000 },
    );
    // The generator reached clusters of every degree of damping.
    expect([...longest].sort()).toEqual([1, 2, 3, 4]);
  });
});
