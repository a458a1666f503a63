import { realClock } from '@flotilla/kube';
import { expect, it } from 'vitest';
import type { ContainerProcess, ProcessHost } from '../processes/container-process.ts';
import { exec } from './exec.ts';

const host = { clock: realClock } as ProcessHost;
const container = { spec: { env: {}, mounts: [], workingDirectory: '/' } } as unknown as ContainerProcess;

it.each<[string, string[]]>([
  ['is empty', []],
  ['has a zero byte', ['/bin/echo', 'a\0b']],
  ['is not there', ['/no/such/program']],
])('refuses a command that %s, and goes on', async (_, command) => {
  const { promise, resolve } = Promise.withResolvers<number>();
  const sent: string[] = [];
  const socket = { send: (message: Buffer) => void sent.push(String(message)), close: resolve, on: () => undefined };
  exec(host, container, command, { stdin: false, stdout: true, stderr: true }, socket);
  expect(await promise).toBe(1000);
  expect(sent[0]).toContain('cannot execute');
});
