import { silentLogger } from '@flotilla/kube';
import { FakeClock } from '@flotilla/kube/testing';
import { expect, test } from 'vitest';
import { fullDisk } from '../../fixtures/full-disk.ts';
import { recordingLog } from '../../fixtures/recording-log.ts';
import { createStorage } from '../storage/memory-storage.ts';
import { expireEvents } from './event-expiry.ts';

const minuteMs = 60_000;
const names = (storage: ReturnType<typeof createStorage>) =>
  storage.list('/events').map(({ metadata }) => metadata?.name);
const event = (name: string) => ({ metadata: { namespace: 'default', name } });

test('an event goes an hour after it was last written', async () => {
  const clock = new FakeClock();
  const storage = createStorage();
  const stop = expireEvents({ storage, clock, log: silentLogger });
  storage.put('/events', 'default/a', event('a'));
  storage.put('/events', 'default/b', event('b'));
  await clock.advance(30 * minuteMs);
  storage.put('/events', 'default/b', event('b'));
  await clock.advance(31 * minuteMs);
  expect(names(storage)).toEqual(['b']);
  await clock.advance(30 * minuteMs);
  expect(names(storage)).toEqual([]);
  stop();
  expect(clock.pending).toBe(0);
});

test('on a full disk old events stay, which is logged, and go when there is room again', async () => {
  const clock = new FakeClock();
  const log = recordingLog();
  const disk = fullDisk();
  const storage = createStorage(disk);
  const stop = expireEvents({ storage, clock, log });
  storage.put('/events', 'default/a', event('a'));
  storage.put('/events', 'default/b', event('b'));
  disk.full = true;
  await clock.advance(61 * minuteMs);
  expect(names(storage)).toEqual(['a', 'b']);
  expect(log.errors[0]).toBe('expired events could not be deleted');
  expect(log.errors.length).toBeLessThan(20);
  disk.full = false;
  await clock.advance(minuteMs);
  expect(names(storage)).toEqual([]);
  stop();
});
