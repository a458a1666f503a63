import { rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import type { CliContext } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';

/** Unix sockets have short names. */
const longestPath = 100;

/** Where `down` reaches the `up` of a directory. Only the owner of the directory gets there. */
function socketPath(directory: string): string {
  const path = join(directory, 'up.sock');
  if (Buffer.byteLength(path) <= longestPath) return path;
  throw new CliError('usage', `the path of ${directory} is too long`, 'Choose a --data-dir with a shorter path.');
}

/** Refuses a directory that another `up` uses. */
export async function refuseIfInUse(directory: string): Promise<void> {
  if (!(await isInUse(directory))) return;
  throw new CliError(
    'precondition',
    `another flotilla up uses ${directory}`,
    `Stop it with Ctrl-C there or with \`flotilla down --data-dir ${directory}\`, or choose another --data-dir.`,
  );
}

/** Marks a directory as in use until disposed, and lets `down` end it. Refused while another `up` uses it. */
export async function claimDirectory(directory: string, onStop: () => void): Promise<AsyncDisposable> {
  const path = socketPath(directory);
  await refuseIfInUse(directory);
  // What a killed process left behind.
  await rm(path, { force: true });
  const server = createServer((socket) => {
    // It stays open until this process is gone, so that `down` sees the end, and does not keep the process alive for it.
    socket.on('data', onStop).on('error', () => {});
    socket.unref();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(path, resolve);
  });
  server.unref();
  return {
    async [Symbol.asyncDispose]() {
      server.close();
      await rm(path, { force: true });
    },
  };
}

/** Whether a process that runs has claimed the directory. */
export const isInUse = (directory: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(socketPath(directory));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

/** Asks the `up` of a directory to end, and resolves when its process is gone; false if there is none. */
export const stopDirectory = (
  directory: string,
  { clock, timeoutMs }: Pick<CliContext, 'clock'> & { readonly timeoutMs: number },
): Promise<boolean> =>
  new Promise((resolve, reject) => {
    let reached = false;
    const socket = connect(socketPath(directory));
    const cancel = clock.schedule(timeoutMs, () => {
      const message = `the fleet of ${directory} has not ended after ${timeoutMs / 1000}s`;
      reject(new CliError('timeout', message, 'Wait longer with --timeout, or end its process.'));
      socket.destroy();
    });
    socket.once('connect', () => {
      reached = true;
      socket.write('stop\n');
    });
    socket.on('error', () => {});
    socket.once('close', () => {
      cancel();
      resolve(reached);
    });
  });
