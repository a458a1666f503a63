import { watch } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Clock } from '../clock/clock.ts';
import { realClock } from '../clock/real-clock.ts';
import { temporaryDirectory } from '../testing/temporary-directory.ts';
import { FileWatcher } from './file-watcher.ts';

it('does nothing when another file of the directory changes, as a log does all the time', async () => {
  await using directory = await temporaryDirectory();
  const file = await directory.write('config', 'one');
  const debounceMs = 51;
  const checks: number[] = [];
  const clock: Clock = {
    ...realClock,
    schedule: (ms, call) => {
      if (ms === debounceMs) checks.push(ms);
      return realClock.schedule(ms, call);
    },
  };
  const changes = Promise.withResolvers<void>();
  const watcher = new FileWatcher({ clock, debounceMs, onChange: () => changes.resolve() });
  await watcher.track((read) => read(file));
  const names: (string | null)[] = [];
  const witness = watch(directory.path, (_event, name) => names.push(name));
  for (let line = 0; line < 20; line++) await appendFile(join(directory.path, 'log'), 'line');
  await expect.poll(() => names).toContain('log');
  expect(checks).toEqual([]);
  await appendFile(file, ' two');
  await changes.promise;
  expect(checks).not.toEqual([]);
  witness.close();
  watcher.close();
});
