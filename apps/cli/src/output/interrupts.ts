import type { EventEmitter } from 'node:events';
import { exitCodes } from '../errors/cli-error.ts';
import { showCursor } from './progress.ts';

/** The process, as far as signals are concerned. */
interface Interruptible extends Pick<EventEmitter, 'on' | 'off'> {
  readonly stderr: { readonly isTTY?: boolean; write(text: string): unknown };
  exit(code: number): void;
}

/** Aborts at the first Ctrl-C. A second one ends the program at once, and shows the cursor again that a spinner may have hidden. */
export function abortAtInterrupts(process: Interruptible, end: AbortController): Disposable {
  const stop = () => {
    if (!end.signal.aborted) return end.abort();
    if (process.stderr.isTTY) process.stderr.write(showCursor);
    process.exit(exitCodes.interrupted);
  };
  const signals = ['SIGINT', 'SIGTERM'];
  for (const signal of signals) process.on(signal, stop);
  return {
    [Symbol.dispose]() {
      for (const signal of signals) process.off(signal, stop);
    },
  };
}
