import type { Logger } from '@flotilla/kube';
import type { Progress } from './progress.ts';

/** A log of what went wrong, between the lines of a command; the rest of it is for operators of servers. */
export function progressLogger(progress: Progress): Logger {
  const say = (message: string, { error, err, why }: Record<string, unknown> = {}) => {
    const cause = error ?? err ?? why;
    const reason = cause instanceof Error ? cause.message : cause;
    progress.done(reason === undefined ? message : `${message}: ${reason}`);
  };
  const logger: Logger = { debug() {}, info() {}, warn: say, error: say, child: () => logger };
  return logger;
}
