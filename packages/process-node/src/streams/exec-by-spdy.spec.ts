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

function start(command: string[]) {
  const execution = new ExecBySpdy(wanted, realClock, (socket) => exec(host, container, command, wanted, socket));
  const streams = {
    error: clientStream('error'),
    stdin: clientStream('stdin'),
    stdout: clientStream('stdout'),
    stderr: clientStream('stderr'),
  };
  for (const { stream } of Object.values(streams)) execution.accept(stream);
  return streams;
}

const mebibyte = 2 ** 20;

it('runs a command when all streams are there, and ends them with its status', async () => {
  const command = ['/bin/sh', '-c', 'cat; echo oh no >&2; exit 5'];
  const streams = start(command);
  const ended = once(streams.error.stream, 'finish');
  streams.stdin.stream.push('hello\n');
  streams.stdin.stream.push(null);
  await ended;
  expect(streams.stdout.text()).toBe('hello\n');
  expect(streams.stderr.text()).toBe('oh no\n');
  expect(JSON.parse(streams.error.text())).toMatchObject({ status: 'Failure', reason: 'NonZeroExitCode' });
});

it('takes no more from the client than the command reads', async () => {
  const { error, stdin } = start(['/bin/sleep', '86397']);
  const closed = once(error.stream, 'finish');
  for (let sent = 0; sent < 4; sent++) {
    stdin.stream.push(Buffer.alloc(mebibyte));
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(stdin.stream.readableLength).toBeGreaterThanOrEqual(3 * mebibyte);
  stdin.stream.destroy();
  await closed;
  expect(error.text()).toContain('137');
});

it('hands the command all that it reads in the end', async () => {
  const { error, stdin, stdout } = start(['/usr/bin/wc', '-c']);
  const closed = once(error.stream, 'finish');
  for (let sent = 0; sent < 4; sent++) stdin.stream.push(Buffer.alloc(mebibyte));
  stdin.stream.push(null);
  await closed;
  expect(stdout.text().trim()).toBe(String(4 * mebibyte));
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
