import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { realClock } from '@flotilla/kube';
import { temporaryDirectory } from '@flotilla/kube/testing';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { ContainerProcess, type ProcessHost } from './container-process.ts';
import { namespaceBase } from './mount-namespace.ts';
import { spawnInContainer } from './run-command.ts';
import { startWatchdog } from './watchdog.ts';

const directory = await temporaryDirectory();
afterAll(() => directory[Symbol.asyncDispose]());
const namespace = await namespaceBase(directory.path, directory.path);

/** Processes whose command line this is. */
const running = (commandLine: string): string[] =>
  readdirSync('/proc').filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() === commandLine;
    } catch {
      return false;
    }
  });

let started = 0;
async function start(script: string) {
  const watchdog = startWatchdog();
  const host: ProcessHost = { clock: realClock, watchdog, ...(namespace && { namespace }) };
  const env = { PATH: process.env.PATH ?? '' };
  const spec = { command: '/bin/sh', args: ['-c', script], env, mounts: [], workingDirectory: '/tmp' };
  const container = await ContainerProcess.start(host, spec, join(directory.path, `${started++}.log`));
  const says = (wanted: string) =>
    vi.waitFor(() => expect(readFileSync(container.log.path, 'utf8')).toContain(wanted), { timeout: 10_000 });
  return { container, host, watchdog, says };
}

const forever = 'while :; do sleep 0.05; done';

describe.runIf(namespace?.ownsProcesses)('a container with a namespace of processes', () => {
  it.each([
    ['the code of its command', 'exit 5', 5],
    ['the number of the signal that its command died of', 'kill -KILL $$', 137],
    ['127 without a command', 'exec /no/such/program', 127],
  ])('ends with %s', async (_, script, exitCode) => {
    const { container, watchdog } = await start(script);
    expect(await container.exited).toEqual({ exitCode });
    await watchdog.close();
  });

  it('tells its command to end, which may take its time', async () => {
    const { container, watchdog, says } = await start(`trap 'sleep 0.2; exit 7' TERM; echo up; ${forever}`);
    await says('up');
    container.kill('SIGTERM');
    expect(await container.exited).toEqual({ exitCode: 7 });
    await watchdog.close();
  });

  it('is ended by SIGTERM although its command does not handle it', async () => {
    const { container, watchdog, says } = await start('echo up; exec sleep 86390');
    await says('up');
    container.kill('SIGTERM');
    expect(await container.exited).toEqual({ exitCode: 143 });
    await watchdog.close();
  });

  it('leaves nothing behind, whatever session and variables that has', async () => {
    const { container, watchdog } = await start('env -i setsid sleep 86391 & sleep 0.1');
    await container.exited;
    expect(running('sleep 86391')).toEqual([]);
    await watchdog.close();
  });

  it('runs further commands in its directory, and ends what they started', async () => {
    const { container, host, watchdog, says } = await start(`echo up; until [ -e /tmp/over ]; do sleep 0.05; done`);
    await says('up');
    const child = spawnInContainer(host, container, [
      '/bin/sh',
      '-c',
      'pwd; env -i setsid sleep 86392 >&- 2>&- & exit 3',
    ]);
    const output = child.stdout && text(child.stdout);
    expect((await once(child, 'exit'))[0]).toBe(3);
    expect(await output).toBe('/tmp\n');
    await vi.waitFor(() => expect(running('sleep 86392')).toHaveLength(1), { timeout: 10_000 });
    const last = spawnInContainer(host, container, ['/usr/bin/touch', '/tmp/over']);
    await once(last, 'exit');
    await container.exited;
    expect(running('sleep 86392')).toEqual([]);
    await watchdog.close();
  });

  it('leaves nothing behind when the node dies', async () => {
    const { container, watchdog, says } = await start(`env -i setsid sleep 86393 & echo up; ${forever}`);
    await says('up');
    await vi.waitFor(() => expect(running('sleep 86393')).toHaveLength(1), { timeout: 10_000 });
    await watchdog.close();
    await container.exited;
    await vi.waitFor(() => expect(running('sleep 86393')).toEqual([]), { timeout: 10_000 });
  });
});
