import { once } from 'node:events';
import { realClock } from '@flotilla/kube';
import { FakeClock } from '@flotilla/kube/testing';
import { expect, it } from 'vitest';
import type { ContainerProcess, ProcessHost } from '../processes/container-process.ts';
import { SpdyStream } from '../spdy/spdy-connection.ts';
import { exec } from './exec.ts';
import { ExecBySpdy } from './exec-by-spdy.ts';

const host = { clock: realClock } as ProcessHost;
const container = { spec: { env: {}, mounts: [], workingDirectory: '/' } } as unknown as ContainerProcess;
const wanted = { stdin: true, stdout: true, stderr: true, tty: false };

/** A stream of the client, and what is sent to it. */
function clientStream(streamtype: string) {
  const sent: string[] = [];
  const stream = new SpdyStream(
    { streamtype },
    (data, _isLast, done) => {
      sent.push(String(data));
      done();
    },
    () => undefined,
  );
  stream.on('error', () => undefined);
  return { stream, text: () => sent.join('') };
}

it('runs a command when all streams are there, and ends them with its status', async () => {
  const command = ['/bin/sh', '-c', 'cat; echo oh no >&2; exit 5'];
  const execution = new ExecBySpdy(wanted, realClock, (socket) => exec(host, container, command, wanted, socket));
  const streams = {
    error: clientStream('error'),
    stdin: clientStream('stdin'),
    stdout: clientStream('stdout'),
    stderr: clientStream('stderr'),
  };
  for (const { stream } of Object.values(streams)) execution.accept(stream);
  const ended = once(streams.error.stream, 'finish');
  streams.stdin.stream.push('hello\n');
  streams.stdin.stream.push(null);
  await ended;
  expect(streams.stdout.text()).toBe('hello\n');
  expect(streams.stderr.text()).toBe('oh no\n');
  expect(JSON.parse(streams.error.text())).toMatchObject({ status: 'Failure', reason: 'NonZeroExitCode' });
});

it('refuses streams that the request did not ask for', () => {
  const execution = new ExecBySpdy({ ...wanted, stdin: false }, realClock, () => expect.unreachable());
  const { stream } = clientStream('stdin');
  execution.accept(stream);
  expect(stream.destroyed).toBe(true);
});

it('gives up a client that does not open all streams', async () => {
  const clock = new FakeClock();
  const execution = new ExecBySpdy(wanted, clock, () => expect.unreachable());
  const { stream } = clientStream('error');
  execution.accept(stream);
  await clock.advance(30_000);
  expect(stream.destroyed).toBe(true);
});
