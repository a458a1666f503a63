import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock } from '@flotilla/kube';
import { FakeClock } from '@flotilla/kube/testing';
import { afterEach, expect, test } from 'vitest';
import { waitUntil } from '../wait.ts';
import { type Component, type ComponentSpec, createComponent } from './component.ts';
import { commandLine } from './process-identity.ts';
import type { Watchdog } from './watchdog.ts';

const started: Component[] = [];
afterEach(async () => {
  for (const component of started.splice(0)) await component.kill();
});

const make = (script: string, overrides: Partial<ComponentSpec> = {}) => {
  const directory = mkdtempSync(join(tmpdir(), 'envtest-spec-'));
  const watched = new Set<number>();
  const watchdog: Watchdog = {
    watch: (pid) => watched.add(pid),
    forget: (pid) => watched.delete(pid),
    close: async () => {},
  };
  const logFile = join(directory, 'logs', 'dummy.log');
  let component: Component | undefined;
  const ready = async (signal: AbortSignal) => {
    const said = async () => (await component?.logTail())?.includes('ready') ?? false;
    await waitUntil('it says ready', said, { clock: realClock, timeoutMs: 10_000, intervalMs: 5, signal });
  };
  component = createComponent({
    name: 'dummy',
    command: '/bin/sh',
    args: () => ['-c', script],
    directory,
    logFile,
    env: { PATH: process.env.PATH },
    watchdog,
    clock: realClock,
    readyTimeoutMs: 10_000,
    ready,
    ...overrides,
  });
  started.push(component);
  return { component, watched };
};

test('it starts once, is watched, and ends on SIGTERM', async () => {
  const { component, watched } = make('echo ready; exec sleep 600');
  expect([component.state, component.pid]).toEqual(['stopped', undefined]);
  await Promise.all([component.start(), component.start()]);
  const { pid } = component;
  await component.start();
  expect(component.pid).toBe(pid);
  expect([component.state, [...watched]]).toEqual(['running', [pid]]);
  await component.stop();
  expect([component.state, component.pid, watched.size]).toEqual(['stopped', undefined, 0]);
});

test('a restart is another process whose log goes on', async () => {
  const { component } = make('echo "ready $$"; exec sleep 600');
  await component.start();
  const first = component.pid;
  await component.restart({ kill: true });
  expect(component.pid).not.toBe(first);
  await expect.poll(() => component.logTail()).toMatch(new RegExp(`^ready ${first}\nready \\d+$`));
});

test('a process that ends before it is ready fails the start with its last words', async () => {
  const { component, watched } = make('echo "cannot bind" >&2; exit 3');
  await expect(component.start()).rejects.toThrow(
    'StartFailed: dummy ended with code 3 before it was ready; its log ends with\ncannot bind',
  );
  expect([component.state, watched.size]).toEqual(['stopped', 0]);
});

test('a process that is not ready in time is killed, and the start fails', async () => {
  const { component } = make('echo starting; exec sleep 600', { readyTimeoutMs: 50 });
  await expect(component.start()).rejects.toThrow('StartFailed: dummy was not ready after 50 ms');
  expect(component.state).toBe('stopped');
});

test('a command that cannot be run fails the start', async () => {
  const { component } = make('', { command: '/nowhere/etcd' });
  await expect(component.start()).rejects.toThrow(/^StartFailed: \/nowhere\/etcd cannot be run: .*ENOENT/);
});

test('a paused process keeps its number and goes on when resumed', async () => {
  const { component } = make('echo ready; exec sleep 600');
  await component.start();
  const { pid } = component;
  component.pause();
  expect([component.state, component.pid]).toEqual(['paused', pid]);
  component.resume();
  expect(component.state).toBe('running');
});

test('a paused process can be stopped', async () => {
  const { component } = make('echo ready; exec sleep 600');
  await component.start();
  component.pause();
  await component.stop();
  expect(component.state).toBe('stopped');
});

test('a process that ignores SIGTERM is killed when its time is over', async () => {
  const clock = new FakeClock();
  const { component } = make('trap "" TERM; echo ready; while :; do sleep 1; done', { clock });
  await component.start();
  const { pid = 0 } = component;
  const stopped = component.stop({ graceMs: 3000 });
  await clock.advance(2999);
  expect(commandLine(pid)).toBeTruthy();
  await clock.advance(1);
  await stopped;
  expect(commandLine(pid)).toBeFalsy();
});

test('pausing what does not run says so', () => {
  const { component } = make('echo ready');
  expect(() => component.pause()).toThrow('NotRunning: dummy does not run, so it cannot be sent SIGSTOP');
});
