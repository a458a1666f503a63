import type { EventEmitter } from 'node:events';

/** A stream that the process writes to. */
type Output = Pick<EventEmitter, 'on'>;

/**
 * Lets a command go on when its output is not read any more, as in `flotilla get works | head -1`: what it changes must not stop
 * half-way for that. Output that cannot be written for another reason, such as a full disk, is a failure, reported to `fail`.
 */
export function ignoreClosedPipes(outputs: readonly Output[], fail: (error: Error) => void): void {
  for (const output of outputs) {
    output.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') fail(error);
    });
  }
}
