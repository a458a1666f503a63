import { realClock } from '@flotilla/kube';
import { expect, it } from 'vitest';
import type { ContainerProcess, ProcessHost } from '../processes/container-process.ts';
import { exec } from './exec.ts';

const host = { clock: realClock } as ProcessHost;
const container = { spec: { env: {}, mounts: [], workingDirectory: '/' } } as unknown as ContainerProcess;
const unpaused = { pause: () => undefined, resume: () => undefined };

it.each<[string, string[]]>([
  ['is empty', []],
  ['has a zero byte', ['/bin/echo', 'a\0b']],
  ['is not there', ['/no/such/program']],
])('refuses a command that %s, and goes on', async (_, command) => {
  const { promise, resolve } = Promise.withResolvers<number>();
  const sent: string[] = [];
  const send = (message: Buffer) => void sent.push(String(message));
  const socket = { ...unpaused, send, close: resolve, on: () => undefined };
  exec(host, container, command, { stdin: false, stdout: true, stderr: true }, socket);
  expect(await promise).toBe(1000);
  expect(sent[0]).toContain('cannot execute');
});

it('reads no more of a command than the client takes', async () => {
  const { promise: closed, resolve } = Promise.withResolvers<number>();
  let bytes = 0;
  let taken = () => {};
  const first = Promise.withResolvers<void>();
  const send = (message: Buffer, sent: () => void) => {
    bytes += message.length - 1;
    taken = sent;
    first.resolve();
  };
  let leave = () => {};
  const on = (event: string, listener: (message: Buffer) => void) => {
    if (event === 'close') leave = () => listener(Buffer.alloc(0));
  };
  const streams = { stdin: false, stdout: true, stderr: false };
  exec(host, container, ['/usr/bin/yes'], streams, { ...unpaused, send, close: resolve, on });
  await first.promise;
  const before = bytes;
  for (let turn = 0; turn < 100; turn++) await new Promise((done) => setImmediate(done));
  expect(bytes).toBe(before);
  taken();
  while (bytes === before) await new Promise((done) => setImmediate(done));
  leave();
  await closed;
});
