import { constants } from 'node:os';
import type { Logger } from '../log/logger.ts';
import { serializeError } from '../log/serialize-error.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { ProcessHost } from './process-host.ts';

/** When and why a process should end. */
export interface Shutdown extends Disposable {
  /** Aborts at the first signal, and after an exception that nobody caught. */
  readonly signal: AbortSignal;
  /** True after an exception that nobody caught. */
  readonly faulty: boolean;
}

/**
 * Turns what happens to the process into one abort signal.
 *
 * - The first SIGTERM or SIGINT asks for an orderly end; the second ends the process at once.
 * - A rejected promise that nobody awaited is logged and counted, and the process goes on: it is a forgotten `await`, what
 *   failed had its own scope, and reconcilers read the world again anyway. Ending would turn one lost promise into an outage.
 * - An exception that nobody caught is logged and counted, and the process ends in order with an error: it broke out of the
 *   middle of some callback, so nobody knows what state it left behind. A restart has none.
 */
export function watchShutdown(host: ProcessHost, log: Logger, metrics: Metrics): Shutdown {
  const controller = new AbortController();
  let faulty = false;
  const strays = metrics.counter({
    name: 'flotilla_stray_errors_total',
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
    strays.add({ kind: 'unhandledRejection' });
    log.error('a promise was rejected and nobody waited for it; this is a bug, please report it', errorFields(err));
  };
  const onException = (err: unknown) => {
    strays.add({ kind: 'uncaughtException' });
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

/** Anything can be thrown, also what is no Error. */
const errorFields = (thrown: unknown) => ({ err: serializeError(thrown) });
