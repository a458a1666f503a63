import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { realClock } from '@flotilla/kube';
import { expect, test } from 'vitest';
import { waitUntil } from '../wait.ts';
import { commandLine } from './process-identity.ts';
import { startWatchdog } from './watchdog.ts';

const directoryWithFile = () => {
  const directory = mkdtempSync(join(tmpdir(), 'envtest spec '));
  writeFileSync(join(directory, 'file'), 'x');
  return directory;
};

const sleeper = (): { child: ChildProcess; pid: number } => {
  const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
  if (child.pid === undefined) throw new Error('sleep did not start');
  return { child, pid: child.pid };
};

const eventually = (what: string, attempt: () => boolean) =>
  waitUntil(what, async () => attempt(), { clock: realClock, timeoutMs: 10_000, intervalMs: 10 });

test('close kills what is watched, spares what was forgotten, and removes the directory', async () => {
  const directory = directoryWithFile();
  const watched = sleeper();
  const forgotten = sleeper();
  const watchdog = startWatchdog({ directory });
  watchdog.watch(watched.pid);
  watchdog.watch(forgotten.pid);
  watchdog.forget(forgotten.pid);
  const exited = once(watched.child, 'exit');
  await watchdog.close();
  expect(await exited).toEqual([null, 'SIGKILL']);
  expect(forgotten.child.exitCode).toBeNull();
  expect(existsSync(directory)).toBe(false);
  forgotten.child.kill('SIGKILL');
});

test('a stopped process is killed as well', async () => {
  const { child, pid } = sleeper();
  const watchdog = startWatchdog();
  watchdog.watch(pid);
  child.kill('SIGSTOP');
  const exited = once(child, 'exit');
  await watchdog.close();
  expect(await exited).toEqual([null, 'SIGKILL']);
});

test.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)(
  '%s of the owner ends what it started and removes its directory',
  async (signal) => {
    const directory = directoryWithFile();
    const owner = spawn(process.execPath, ['--input-type=module-typescript', '-e', ownerSource(directory)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(owner, 'exit');
    const [line] = await once(createInterface(owner.stdout), 'line');
    const pid = Number(line);
    const started = commandLine(pid);
    owner.kill(signal);
    await exited;
    expect(started).toContain('sleep');
    await eventually('the process and the directory are gone', () => !commandLine(pid) && !existsSync(directory));
  },
);

/** A program that starts something under a watchdog, says its number and then waits to be killed. */
const ownerSource = (directory: string) => `
  import { spawn } from 'node:child_process';
  import { startWatchdog } from ${JSON.stringify(new URL('./watchdog.ts', import.meta.url).href)};
  const watchdog = startWatchdog({ directory: ${JSON.stringify(directory)} });
  const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
  watchdog.watch(child.pid);
  process.stdout.write(child.pid + '\\n'); // console.log would colour it where FORCE_COLOR is set
`;
