import type { Clock, KubeError } from '@flotilla/kube';
import type { AgentDriver, DriverConnection, StoredCredentials } from '../contract/index.ts';
import type { AgentEvent } from './state.ts';

/** What judges a connection. */
export interface ConnectionWatchOptions {
  readonly driver: AgentDriver;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly send: (event: AgentEvent) => void;
  readonly stored: StoredCredentials;
}

/** Notices when credentials end or are refused for good. */
export interface ConnectionWatch {
  start(connection: DriverConnection): void;
  /** Some request was refused; whether that means anything is found out. */
  refused(refusal: KubeError): void;
  renewed(stored: StoredCredentials): void;
}

/** New credentials may need a person's approval, so a refusal counts only if it lasts. */
const checks = 3;
const unauthorizedEveryMs = 10_000;
/** An administrator who has yet to accept the cluster forbids everything until then. */
const forbiddenEveryMs = 20_000;
const longestTimerMs = 24 * 3_600_000;

/** Watches one connection. */
export function watchConnection(options: ConnectionWatchOptions): ConnectionWatch {
  const { driver, clock, signal, send } = options;
  let stored = options.stored;
  let connection: DriverConnection | undefined;
  let investigating = false;
  let cancelTimer = () => {};
  signal.addEventListener('abort', () => cancelTimer(), { once: true });

  const watchExpiry = (): void => {
    cancelTimer();
    if (signal.aborted) return;
    const verdict = driver.judge(stored);
    if (!verdict.usable) {
      send({ type: 'expired', message: verdict.message });
      return;
    }
    if (verdict.expiresAt === undefined) return;
    const waitMs = Math.min(longestTimerMs, Math.max(0, verdict.expiresAt - clock.now()) + 1);
    cancelTimer = clock.schedule(waitMs, watchExpiry);
  };

  const investigate = async (): Promise<void> => {
    let message = '';
    let isForbidden = false;
    for (let count = 0; count < checks; count += 1) {
      if (!connection || signal.aborted) return;
      const verdict = await driver.checkConnection(connection);
      if (verdict.usable || (verdict.reason !== 'Unauthorized' && verdict.reason !== 'Forbidden')) return;
      ({ message } = verdict);
      isForbidden = verdict.reason === 'Forbidden';
      await clock.sleep(isForbidden ? forbiddenEveryMs : unauthorizedEveryMs, signal);
    }
    send({ type: isForbidden ? 'forbidden' : 'unauthorized', message });
  };

  return {
    start(started) {
      connection = started;
      watchExpiry();
    },
    refused() {
      if (investigating || signal.aborted) return;
      investigating = true;
      // Rejects only when the connection ends meanwhile.
      investigate().then(
        () => {
          investigating = false;
        },
        () => {},
      );
    },
    renewed(next) {
      stored = next;
      watchExpiry();
    },
  };
}
