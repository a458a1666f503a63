import { FakeClock } from '@flotilla/kube/testing';
import { describe, expect, it } from 'vitest';
import { Prober, type ProberOptions } from './prober.ts';
import type { ProbeFailure } from './run-probe.ts';

/** Answers one after the other; the last one stays. */
function prober(answers: ProbeFailure[], options: Partial<ProberOptions> = {}) {
  const clock = new FakeClock();
  const verdicts: string[] = [];
  const failures: string[] = [];
  let asked = 0;
  const subject = new Prober({
    probe: { periodSeconds: 10, failureThreshold: 2, initialDelaySeconds: 5 },
    clock,
    startedAt: clock.now(),
    run: async () => answers[Math.min(asked++, answers.length - 1)],
    onFailure: (message) => failures.push(message),
    onChange: (verdict) => verdicts.push(verdict),
    ...options,
  });
  return { clock, subject, verdicts, failures, asked: () => asked };
}

describe('a prober', () => {
  it('waits for the delay, then asks each period; so many failures in a row make the verdict', async () => {
    const { clock, verdicts, failures, asked } = prober(['bad', undefined, 'bad', 'bad']);
    await clock.advance(4999);
    expect(asked()).toBe(0);
    await clock.advance(1);
    expect([asked(), verdicts]).toEqual([1, []]);
    await clock.advance(10_000);
    expect(verdicts).toEqual(['success']);
    await clock.advance(10_000);
    expect(verdicts).toEqual(['success']);
    await clock.advance(10_000);
    expect(verdicts).toEqual(['success', 'failure']);
    expect(failures).toEqual(['bad', 'bad', 'bad']);
  });

  it('asks early until it succeeds, if it is eager; early failures do not count', async () => {
    const { clock, verdicts, failures } = prober(['bad', 'bad', 'bad', 'bad', undefined], { isEager: true });
    await clock.advance(5000);
    for (let step = 0; step < 4; step++) await clock.advance(250);
    expect(verdicts).toEqual(['success']);
    expect(failures).toEqual(['bad']);
  });

  it('asks no more when it is stopped', async () => {
    const { clock, subject, asked } = prober([undefined]);
    await clock.advance(5000);
    subject.stop();
    await clock.advance(60_000);
    expect(asked()).toBe(1);
  });

  it('ends an attempt that takes too long', async () => {
    const run = (signal: AbortSignal) =>
      new Promise<ProbeFailure>((resolve) => signal.addEventListener('abort', () => resolve('no answer within 1s')));
    const { clock, failures } = prober([], { run });
    await clock.advance(5000);
    await clock.advance(1000);
    expect(failures).toEqual(['no answer within 1s']);
  });
});
