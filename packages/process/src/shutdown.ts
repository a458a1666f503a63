import { constants } from 'node:os';
import type { Logger } from '@flotilla/kube';
import { serializeError } from './log/serialize-error.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { ProcessHost } from './process-host.ts';

/** When and why a process should end. */
export interface Shutdown extends Disposable {
  /** Aborts at the first signal, and after an uncaught exception. */
  readonly signal: AbortSignal;
  /** True after an uncaught exception. */
  readonly faulty: boolean;
}

/**
 * Turns what happens to the process into one abort signal.
 *
 * - The first SIGTERM or SIGINT asks for an orderly end; the second ends the process at once.
 * - An unhandled rejection is logged and counted, and the process goes on: it is a forgotten `await`, what
 *   failed had its own scope, and reconcilers read the world again anyway. Ending would turn one lost promise into an outage.
 * - An uncaught exception is logged and counted, and the process ends in order with an error: it broke out of the
 *   middle of some callback, so the state it left behind is unknown. A restart has none.
 */
export function watchShutdown(host: ProcessHost, log: Logger, metrics: Metrics): Shutdown {
  const controller = new AbortController();
  let faulty = false;
  const unhandledErrors = metrics.counter({
    name: `${metrics.prefix}_unhandled_errors_total`,
    help: 'Errors that no code caught: bugs. The log has the stack.',
    labels: ['kind'],
  });
  const onSignal = (signal: 'SIGTERM' | 'SIGINT') => () => {
    if (controller.signal.aborted) {
      log.warn('a second signal came, ending at once', { signal });
      host.exit(128 + constants.signals[signal]);
      return;
    }
    log.info('ending', { signal });
    controller.abort(new Error(`${signal} received`));
  };
  const onRejection = (err: unknown) => {
    unhandledErrors.add({ kind: 'unhandledRejection' });
    log.error('unhandled rejection of a promise; this is a bug, please report it', errorFields(err));
  };
  const onException = (err: unknown) => {
    unhandledErrors.add({ kind: 'uncaughtException' });
    log.error('an exception was not caught, ending; this is a bug, please report it', errorFields(err));
    faulty = true;
    controller.abort(err);
  };
  const stops = [
    host.on('SIGTERM', onSignal('SIGTERM')),
    host.on('SIGINT', onSignal('SIGINT')),
    host.on('unhandledRejection', onRejection),
    host.on('uncaughtException', onException),
  ];
  return {
    signal: controller.signal,
    get faulty() {
      return faulty;
    },
    [Symbol.dispose]() {
      for (const stop of stops) stop();
    },
  };
}

/** Anything can be thrown, also a value that is not an Error. */
const errorFields = (thrown: unknown) => ({ err: serializeError(thrown) });
