import type { ChildProcess } from 'node:child_process';
import type { ContainerProcess, ProcessHost } from '../processes/container-process.ts';
import { exitOf } from '../processes/container-process.ts';
import { killQuietly, spawnBeside } from '../processes/run-command.ts';

/** Which of its streams the client wants. */
export interface ExecStreams {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
}

/** Where messages of the client come from and go to: a WebSocket of the protocol `v5.channel.k8s.io`, or what is used as one. */
export interface ChannelSocket {
  send(message: Buffer): void;
  close(code: number): void;
  on(event: 'message', listener: (message: Buffer) => void): void;
  on(event: 'close', listener: () => void): void;
}

/** The first byte of a message says which stream it is of. */
export const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, close: 255 } as const;

/** Runs a command beside a container. */
export function exec(
  host: ProcessHost,
  container: ContainerProcess,
  command: readonly string[],
  streams: ExecStreams,
  socket: ChannelSocket,
): void {
  const send = (channel: number, data: Buffer) => socket.send(Buffer.concat([Buffer.from([channel]), data]));
  const end = (status: object) => {
    send(channels.error, Buffer.from(JSON.stringify(status)));
    // An end that says nothing counts as a failure.
    socket.close(1000);
  };
  let child: ChildProcess;
  try {
    child = spawnBeside(host, container, command);
  } catch (error) {
    // No command, or one that no machine can have, such as one with a zero byte: whoever may exec must not end the node by it.
    end(failure(`cannot execute: ${error instanceof Error ? error.message : String(error)}`, 126));
    return;
  }
  if (streams.stdout) child.stdout?.on('data', (data: Buffer) => send(channels.stdout, data));
  else child.stdout?.resume();
  if (streams.stderr) child.stderr?.on('data', (data: Buffer) => send(channels.stderr, data));
  else child.stderr?.resume();
  child.stdin?.on('error', () => {});
  if (!streams.stdin) child.stdin?.end();
  socket.on('message', (message) => receive(child, message));
  socket.on('close', () => killQuietly(child));
  child.once('error', ({ message }) => end(failure(`cannot execute: ${message}`, 126)));
  child.once('close', (code, signal) => {
    const { exitCode } = exitOf(code, signal);
    end(
      exitCode === 0
        ? { metadata: {}, status: 'Success' }
        : failure(`command terminated with non-zero exit code: exit status ${exitCode}`, exitCode),
    );
  });
}

function receive(child: ChildProcess, message: Buffer): void {
  const [channel] = message;
  if (channel === channels.stdin) child.stdin?.write(message.subarray(1));
  if (channel === channels.close && message[1] === channels.stdin) child.stdin?.end();
}

const failure = (message: string, exitCode: number): object => ({
  metadata: {},
  status: 'Failure',
  message,
  reason: 'NonZeroExitCode',
  details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
});
