import type { Logger } from '@flotilla/kube';
import type { Progress } from './progress.ts';

/**
 * A log of failures and of their end, and of the key for which a certificate is requested, between the lines of a command; the rest of
 * it is for operators of servers.
 */
export function progressLogger(progress: Progress): Logger {
  let hasFailed = false;
  const write = (message: string, { error, err, why }: Record<string, unknown> = {}) => {
    const cause = error ?? err ?? why;
    const reason = cause instanceof Error ? cause.message : cause;
    progress.done(reason === undefined ? message : `${message}: ${reason}`);
  };
  const request = (message: string, { request, fingerprint }: Record<string, unknown>) =>
    progress.done(`${message}: request ${request}, fingerprint ${fingerprint}`);
  const reportFailure: Logger['warn'] = (message, fields) => {
    hasFailed = true;
    write(message, fields);
  };
  return {
    debug() {},
    info(message, fields) {
      // An administrator of the hub compares it, when another agent claims the name of the cluster.
      if (fields?.fingerprint !== undefined) request(message, fields);
      // The first message of a part after a failure says that it has recovered.
      else if (hasFailed) write(message, fields);
      hasFailed = false;
    },
    warn: reportFailure,
    error: reportFailure,
    child: () => progressLogger(progress),
  };
}
