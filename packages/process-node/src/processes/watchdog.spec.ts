import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { markVariable, newMark } from './container-mark.ts';
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

it.runIf(process.platform === 'linux')('kills what left the group of its container too', async () => {
  const watchdog = startWatchdog();
  const mark = newMark(watchdog.mark);
  const stray = spawn('/bin/sleep', ['86398'], { detached: true, stdio: 'ignore', env: { [markVariable]: mark } });
  await once(stray, 'spawn');
  const ended = once(stray, 'exit');
  await watchdog.close();
  expect((await ended)[1]).toBe('SIGKILL');
});
