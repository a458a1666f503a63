import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { ContainerProcess, ProcessHost } from '../processes/container-process.ts';
import { exitOf } from '../processes/container-process.ts';
import { killQuietly, spawnInContainer } from '../processes/run-command.ts';

/** Which of its streams the client wants. */
export interface ExecStreams {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
}

/** Where messages of the client come from and go to: a WebSocket of the protocol `v5.channel.k8s.io`, or what is used as one. */
export interface ChannelSocket {
  /** `sent` is called when the connection has taken it, or never will. */
  send(message: Buffer, sent: () => void): void;
  /** Stops and starts receiving what the command is to read. */
  pause(): void;
  resume(): void;
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
  const send = (channel: number, data: Buffer, sent: () => void = () => {}) =>
    socket.send(Buffer.concat([Buffer.from([channel]), data]), sent);
  // What the client does not take waits in the pipe of the command, and not in this process.
  const forward = (output: Readable | null, channel: number) =>
    output?.on('data', (data: Buffer) => {
      output.pause();
      send(channel, data, () => output.resume());
    });
  const end = (status: object) => {
    send(channels.error, Buffer.from(JSON.stringify(status)));
    // An end that says nothing counts as a failure.
    socket.close(1000);
  };
  let child: ChildProcess;
  try {
    child = spawnInContainer(host, container, command);
  } catch (error) {
    // No command, or one that no machine can have, such as one with a zero byte: whoever may exec must not end the node by it.
    end(failure(`cannot execute: ${error instanceof Error ? error.message : String(error)}`, 126));
    return;
  }
  if (streams.stdout) forward(child.stdout, channels.stdout);
  else child.stdout?.resume();
  if (streams.stderr) forward(child.stderr, channels.stderr);
  else child.stderr?.resume();
  child.stdin?.on('error', () => {});
  if (!streams.stdin) child.stdin?.end();
  socket.on('message', (message) => receive(child, message, socket));
  socket.on('close', () => {
    killQuietly(child);
    // What nobody reads would keep the command from having ended.
    child.stdout?.destroy();
    child.stderr?.destroy();
  });
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

function receive(child: ChildProcess, message: Buffer, socket: ChannelSocket): void {
  const [channel] = message;
  if (channel === channels.stdin && child.stdin && !child.stdin.write(message.subarray(1))) {
    socket.pause();
    child.stdin.once('drain', () => socket.resume());
  }
  if (channel === channels.close && message[1] === channels.stdin) child.stdin?.end();
}

const failure = (message: string, exitCode: number): object => ({
  metadata: {},
  status: 'Failure',
  message,
  reason: 'NonZeroExitCode',
  details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
});
