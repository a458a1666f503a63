import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock } from '@flotilla/kube/testing';
import { expect, test } from 'vitest';
import { ownIdentity } from '../processes/process-identity.ts';
import { withMachineLock } from './machine-lock.ts';

const setUp = () => {
  const directory = mkdtempSync(join(tmpdir(), 'envtest-spec-'));
  const clock = new FakeClock();
  const waits: number[] = [];
  const options = { path: join(directory, 'lock'), clock, onWait: (owner: { pid: number }) => waits.push(owner.pid) };
  return { directory, clock, waits, options };
};

/** Advances the clock until the promise is settled, and returns it. */
async function advanceUntil<T>(clock: FakeClock, promise: Promise<T>): Promise<T> {
  let settled = false;
  const done = promise.finally(() => {
    settled = true;
  });
  done.catch(() => {});
  while (!settled) await clock.advance(1000);
  return done;
}

test('of many who want it, one works at a time, and those who wait say so once', async () => {
  const { directory, clock, waits, options } = setUp();
  let inside = 0;
  let most = 0;
  const work = async () => {
    inside += 1;
    most = Math.max(most, inside);
    // The first one holds it until all others wait, however slow the disk is.
    await expect.poll(() => waits).toHaveLength(3);
    await clock.sleep(2500);
    inside -= 1;
  };
  await advanceUntil(clock, Promise.all([1, 2, 3, 4].map(() => withMachineLock(options, work))));
  expect(most).toBe(1);
  expect(waits).toEqual([process.pid, process.pid, process.pid]);
  expect(readdirSync(directory)).toEqual([]);
});

test.each([
  ['a dead process', JSON.stringify({ ...ownIdentity(), started: 'never' })],
  ['an unreadable owner', 'garbage'],
])('the lock of %s is taken over without waiting', async (_who, content) => {
  const { directory, options, waits } = setUp();
  writeFileSync(options.path, content);
  expect(await withMachineLock(options, async () => 'worked')).toBe('worked');
  expect([waits, readdirSync(directory)]).toEqual([[], []]);
});

test('a stale lock that many find at once is still acquired by one process at a time', async () => {
  const { clock, options } = setUp();
  writeFileSync(options.path, JSON.stringify({ ...ownIdentity(), started: 'never' }));
  let inside = 0;
  const work = async () => {
    inside += 1;
    expect(inside).toBe(1);
    await clock.sleep(100);
    inside -= 1;
  };
  await advanceUntil(clock, Promise.all(Array.from({ length: 8 }, () => withMachineLock(options, work))));
});

test('a failure of the work releases the lock', async () => {
  const { options } = setUp();
  await expect(withMachineLock(options, () => Promise.reject(new Error('no disk')))).rejects.toThrow('no disk');
  expect(await withMachineLock(options, async () => 'worked')).toBe('worked');
});
