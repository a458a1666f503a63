import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FakeClock } from './fake-clock.ts';

describe('FakeClock', () => {
  it('runs due timers in the order of their due times, and equal ones in the order they were made', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(5)), async (delays) => {
        const clock = new FakeClock();
        const ran: [due: number, index: number][] = [];
        delays.forEach((delay, index) => {
          clock.schedule(delay, () => ran.push([clock.monotonic(), index]));
        });
        await clock.advance(10);
        const expected = delays.map((delay, index): [number, number] => [delay, index]);
        expect(ran).toEqual(expected.sort((a, b) => a[0] - b[0] || a[1] - b[1]));
      }),
      { numRuns: 50 },
    );
  });

  it('runs promise callbacks between two timers', async () => {
    const clock = new FakeClock();
    const seen: string[] = [];
    void clock.sleep(1).then(async () => {
      await null;
      seen.push('after the first');
    });
    clock.schedule(2, () => seen.push('the second'));
    await clock.advance(5);
    expect(seen).toEqual(['after the first', 'the second']);
  });

  it('runs timers that are made while it moves, at their own time', async () => {
    const clock = new FakeClock();
    const times: number[] = [];
    const tick = () => {
      times.push(clock.monotonic());
      clock.schedule(10, tick);
    };
    clock.schedule(10, tick);
    await clock.advance(35);
    expect(times).toEqual([10, 20, 30]);
    expect(clock.monotonic()).toBe(35);
    expect(clock.pending).toBe(1);
  });

  it('forgets cancelled timers and aborted sleeps', async () => {
    const clock = new FakeClock();
    const controller = new AbortController();
    const slept = clock.sleep(10, controller.signal);
    controller.abort('stop');
    await expect(slept).rejects.toBe('stop');
    await expect(clock.sleep(10, controller.signal)).rejects.toBe('stop');
    clock.schedule(10, () => expect.unreachable())();
    expect(clock.pending).toBe(0);
    await clock.advance(100);
  });

  it('distinguishes the wall clock from the monotonic one', () => {
    const clock = new FakeClock('2026-03-01T00:00:00Z');
    clock.jump(-60_000);
    expect(new Date(clock.now()).toISOString()).toBe('2026-02-28T23:59:00.000Z');
    expect(clock.monotonic()).toBe(0);
  });

  it('goes from timer to timer until none is left', async () => {
    const clock = new FakeClock();
    clock.schedule(1000, () => {});
    expect(await clock.advanceToNext()).toBe(true);
    expect(clock.monotonic()).toBe(1000);
    expect(await clock.advanceToNext()).toBe(false);
  });
});
