import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { startWatchdog } from './watchdog.ts';

/** A process in a group of its own that ends by signals only. */
const sleeper = () => spawn('/bin/sh', ['-c', 'while :; do sleep 1; done'], { detached: true, stdio: 'ignore' });

it('kills the groups that it watches when its owner is gone, and no others', async () => {
  const [watched, forgotten] = [sleeper(), sleeper()];
  const watchdog = startWatchdog();
  for (const { pid = 0 } of [watched, forgotten]) watchdog.watch(pid);
  watchdog.forget(forgotten.pid ?? 0);
  const ended = once(watched, 'exit');
  await watchdog.close();
  expect((await ended)[1]).toBe('SIGKILL');
  expect(forgotten.exitCode ?? forgotten.signalCode).toBeNull();
  const last = once(forgotten, 'exit');
  process.kill(-(forgotten.pid ?? 0), 'SIGKILL');
  await last;
});
