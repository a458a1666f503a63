import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FakeClock } from '../testing/fake-clock.ts';
import { KeyQueue, type QueueOutcome, type QueuePriority } from './queue.ts';

/** What the queue should be, written without regard to speed: plain lists, searched from the front. */
class Model {
  now = 0;
  ready: { key: string; priority: QueuePriority }[] = [];
  running: { key: string; priority: QueuePriority; again?: QueuePriority }[] = [];
  delayed: { key: string; due: number; priority: QueuePriority }[] = [];
  failures = new Map<string, number>();

  add(key: string, priority: QueuePriority) {
    this.delayed = this.delayed.filter((waiting) => waiting.key !== key);
    const running = this.running.find((item) => item.key === key);
    const ready = this.ready.find((item) => item.key === key);
    if (running) running.again = running.again === 'live' ? 'live' : priority;
    else if (!ready) this.ready.push({ key, priority });
    else if (ready.priority === 'backlog' && priority === 'live') {
      this.ready = [...this.ready.filter((item) => item !== ready), { key, priority }];
    }
  }

  addAfter(key: string, ms: number, priority: QueuePriority) {
    if (ms <= 0) return this.add(key, priority);
    if (this.ready.some((item) => item.key === key)) return;
    if (this.running.some((item) => item.key === key && item.again)) return;
    const due = this.now + ms;
    if (this.delayed.some((item) => item.key === key && item.due <= due)) return;
    this.delayed = [...this.delayed.filter((item) => item.key !== key), { key, due, priority }];
  }

  take() {
    const item = this.ready.find(({ priority }) => priority === 'live') ?? this.ready[0];
    if (!item) return undefined;
    this.ready = this.ready.filter((other) => other !== item);
    this.running.push({ ...item });
    return item.key;
  }

  finish(key: string, outcome: QueueOutcome) {
    const item = this.running.find((other) => other.key === key);
    if (!item) return;
    this.running = this.running.filter((other) => other !== item);
    const failures = outcome.kind === 'retry' ? (this.failures.get(key) ?? 0) + 1 : 0;
    this.failures.set(key, failures);
    if (item.again) this.add(key, item.again);
    else if (outcome.kind === 'after') this.addAfter(key, outcome.ms, 'live');
    else if (outcome.kind === 'retry') this.addAfter(key, Math.min(1000, 100 * 2 ** (failures - 1)), item.priority);
  }

  advance(ms: number) {
    this.now += ms;
    const due = this.delayed.filter((item) => item.due <= this.now).sort((a, b) => a.due - b.due);
    for (const item of due) this.add(item.key, item.priority);
  }
}

interface Real {
  clock: FakeClock;
  queue: KeyQueue;
  running: Set<string>;
}

type Step = fc.AsyncCommand<Model, Real>;

const step = (name: string, run: (model: Model, real: Real) => void | Promise<void>): Step => ({
  check: () => true,
  run: async (model, real) => {
    await run(model, real);
    expect(real.queue.depth).toBe(model.ready.length);
    expect(real.clock.pending).toBe(model.delayed.length);
  },
  toString: () => name,
});

const take = () =>
  step('take', (model, real) => {
    const key = real.queue.take()?.key;
    expect(key).toBe(model.take());
    if (key === undefined) return;
    expect(real.running.has(key), `${key} is worked on twice at a time`).toBe(false);
    real.running.add(key);
  });

const finish = (at: number, outcome: QueueOutcome) =>
  step(`finish(${at}, ${JSON.stringify(outcome)})`, (model, real) => {
    const key = [...real.running][at % Math.max(1, real.running.size)];
    if (key === undefined) return;
    real.running.delete(key);
    real.queue.finish(key, outcome);
    model.finish(key, outcome);
  });

const key = fc.constantFrom('a', 'b', 'c', 'd');
const priority = fc.constantFrom<QueuePriority>('live', 'backlog');
const ms = fc.constantFrom(0, 1, 50, 150, 400);
const outcome = fc.oneof(
  fc.constant<QueueOutcome>({ kind: 'done' }),
  fc.constant<QueueOutcome>({ kind: 'retry' }),
  ms.map((after): QueueOutcome => ({ kind: 'after', ms: after })),
);

const steps = [
  fc.tuple(key, priority).map(([k, p]) =>
    step(`add(${k}, ${p})`, (model, real) => {
      real.queue.add(k, p);
      model.add(k, p);
    }),
  ),
  fc.tuple(key, ms, priority).map(([k, after, p]) =>
    step(`addAfter(${k}, ${after}, ${p})`, (model, real) => {
      real.queue.addAfter(k, after, p);
      model.addAfter(k, after, p);
    }),
  ),
  fc.constant(null).map(take),
  fc.tuple(fc.nat(3), outcome).map(([at, how]) => finish(at, how)),
  ms.map((by) =>
    step(`advance(${by})`, async (model, real) => {
      await real.clock.advance(by);
      model.advance(by);
    }),
  ),
];

it('behaves like its model: no key lost, none worked on twice at a time, the earliest delay and the highest priority win', async () => {
  await fc.assert(
    fc.asyncProperty(fc.commands(steps, { maxCommands: 80, size: '+1' }), async (commands) => {
      const clock = new FakeClock();
      const queue = new KeyQueue({ clock, backoff: { baseMs: 100, maxMs: 1000 }, random: () => 1 });
      const real: Real = { clock, queue, running: new Set() };
      const model = new Model();
      await fc.asyncModelRun(() => ({ model, real }), commands);
      // Whatever happened, once all reconciles succeed nothing is left.
      for (const taken of real.running) queue.finish(taken, { kind: 'done' });
      await clock.advance(10_000);
      for (let item = queue.take(); item; item = queue.take()) queue.finish(item.key, { kind: 'done' });
      expect([queue.depth, queue.tracked, clock.pending]).toEqual([0, 0, 0]);
    }),
    { numRuns: 150 },
  );
});
