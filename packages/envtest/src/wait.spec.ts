import { FakeClock } from '@flotilla/kube/testing';
import { expect, test } from 'vitest';
import { waitUntil } from './wait.ts';

test('it tries again after each interval until the answer is yes', async () => {
  const clock = new FakeClock();
  const answers = [false, false, true];
  const tried: number[] = [];
  const attempt = async () => {
    tried.push(clock.monotonic());
    return answers.shift() ?? false;
  };
  const waited = waitUntil('done', attempt, { clock, timeoutMs: 1000 });
  await clock.advance(1000);
  await waited;
  expect(tried).toEqual([0, 50, 100]);
  expect(clock.pending).toBe(0);
});

test('the time-out reports the last failure', async () => {
  const clock = new FakeClock();
  const attempt = () => Promise.reject(new Error('connection refused'));
  const waited = expect(waitUntil('it answers', attempt, { clock, timeoutMs: 100 })).rejects.toThrow(
    'Timeout: waited 100 ms until it answers; the last attempt failed: connection refused',
  );
  await clock.advance(100);
  await waited;
});

test('a signal ends the wait with its reason', async () => {
  const clock = new FakeClock();
  const controller = new AbortController();
  const options = { clock, timeoutMs: 1000, signal: controller.signal };
  const waited = expect(waitUntil('never', async () => false, options)).rejects.toBe('enough');
  await clock.advance(60);
  controller.abort('enough');
  await waited;
  expect(clock.pending).toBe(0);
});
