import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../testing/fake-clock.ts';
import { RequestLimiter } from './request-limiter.ts';
import type { RequestPriority } from './transport.ts';

const priorities = ['critical', 'normal', 'bulk'] as const;

/** Takes a slot or a place in the queue, and records when it was admitted. */
function arrive(admission: RequestLimiter, priority: RequestPriority, order: string[], name: string = priority) {
  if (admission.tryAcquire(priority)) {
    order.push(name);
    return undefined;
  }
  const turn = admission.enqueue(priority);
  void turn.granted.then(() => order.push(name));
  return turn;
}

describe('admission', () => {
  it('lets the more urgent in first, and equals in the order they came', async () => {
    const clock = new FakeClock();
    const admission = new RequestLimiter({ maxInFlight: 1, clock });
    const order: string[] = [];
    arrive(admission, 'normal', order, 'first');
    for (const name of ['bulk', 'normal', 'critical'] as const) {
      arrive(admission, name, order, `${name} a`);
      arrive(admission, name, order, `${name} b`);
    }
    for (let i = 0; i < 6; i++) {
      admission.release();
      await clock.settle();
    }
    expect(order).toEqual(['first', 'critical a', 'critical b', 'normal a', 'normal b', 'bulk a', 'bulk b']);
  });

  it('keeps a tenth of the slots for critical and half from bulk', () => {
    const admission = new RequestLimiter({ maxInFlight: 100, clock: new FakeClock() });
    const take = (priority: RequestPriority) => {
      let taken = 0;
      while (admission.tryAcquire(priority)) taken++;
      return taken;
    };
    expect([take('bulk'), take('normal'), take('critical')]).toEqual([50, 40, 10]);
  });

  it('passes over those who left', async () => {
    const clock = new FakeClock();
    const admission = new RequestLimiter({ maxInFlight: 1, clock });
    const order: string[] = [];
    arrive(admission, 'normal', order, 'first');
    const left = arrive(admission, 'normal', order, 'left');
    arrive(admission, 'bulk', order, 'stayed');
    left?.leave();
    admission.release();
    await clock.settle();
    expect(order).toEqual(['first', 'stayed']);
  });

  it('takes the slot back from one who leaves in the moment of its turn', async () => {
    const clock = new FakeClock();
    const admission = new RequestLimiter({ maxInFlight: 1, clock });
    const order: string[] = [];
    arrive(admission, 'normal', order, 'first');
    const leaving = admission.enqueue('normal');
    arrive(admission, 'normal', order, 'last');
    admission.release();
    leaving.leave();
    await clock.settle();
    expect(order).toEqual(['first', 'last']);
  });

  it('holds to a rate, from which critical is exempt', async () => {
    const clock = new FakeClock();
    const admission = new RequestLimiter({ maxInFlight: 100, rateLimit: { qps: 10, burst: 2 }, clock });
    const order: string[] = [];
    for (let i = 0; i < 5; i++) arrive(admission, 'normal', order, `${i}`);
    arrive(admission, 'critical', order);
    expect(order).toEqual(['0', '1', 'critical']);
    await clock.advance(100);
    expect(order).toEqual(['0', '1', 'critical', '2']);
    await clock.advance(300);
    expect(order).toHaveLength(6);
    expect(clock.pending).toBe(0);
  });

  it('never admits more requests than there are slots, and all of them in the end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...priorities), { maxLength: 40 }),
        fc.integer({ min: 1, max: 12 }),
        async (arrivals, maxInFlight) => {
          const clock = new FakeClock();
          const admission = new RequestLimiter({ maxInFlight, clock });
          const order: string[] = [];
          for (const priority of arrivals) arrive(admission, priority, order);
          let done = 0;
          while (done < arrivals.length) {
            await clock.settle();
            expect(order.length - done).toBeLessThanOrEqual(maxInFlight);
            expect(order.length).toBeGreaterThan(done);
            admission.release();
            done++;
          }
        },
      ),
      { numRuns: 50 },
    );
  });
});
