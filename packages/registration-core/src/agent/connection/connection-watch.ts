import type { Clock } from '@flotilla/kube';
import { watchClockSteps } from '@flotilla/kube/clock';
import type { ConnectionState, CredentialIssuer, StoredCredentials } from '../../contract/index.ts';
import type { AgentEvent } from '../state/state.ts';

/** What decides about a connection. */
export interface ConnectionWatchOptions {
  readonly driver: Pick<CredentialIssuer, 'evaluate'>;
  readonly stored: StoredCredentials;
  /** Whether the hub accepts the agent now. */
  readonly check: () => Promise<ConnectionState>;
  readonly send: (event: AgentEvent) => void;
  /** Called with why the driver cannot make credentials, and with undefined when it can again. */
  readonly onCredentialsFailed: (message: string | undefined) => void;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Notices when credentials end or are refused for good. */
export interface ConnectionWatch {
  /** A request was refused; checks whether that lasts. */
  refused(): void;
  renewed(stored: StoredCredentials): void;
}

/** New credentials may need the approval of an administrator, so a refusal counts only if it lasts. */
const checks = 3;
const unauthorizedEveryMs = 10_000;
/** Until an administrator accepts the cluster, all requests are forbidden. */
const forbiddenEveryMs = 20_000;
const credentialsFailedEveryMs = 20_000;
const longestTimerMs = 24 * 3_600_000;

/** Watches one connection. */
export function watchConnection(options: ConnectionWatchOptions): ConnectionWatch {
  const { driver, check, clock, signal, send, onCredentialsFailed } = options;
  let stored = options.stored;
  let isChecking = false;
  let cancelTimer = () => {};
  signal.addEventListener('abort', () => cancelTimer(), { once: true });

  const watchExpiry = (): void => {
    cancelTimer();
    if (signal.aborted) return;
    const state = driver.evaluate(stored);
    if (!state.usable) {
      send({ type: 'expired', message: state.message });
      return;
    }
    if (state.expiresAt === undefined) return;
    const waitMs = Math.min(longestTimerMs, Math.max(0, state.expiresAt - clock.now()) + 1);
    cancelTimer = clock.schedule(waitMs, watchExpiry);
  };

  const checkUntilDecided = async (): Promise<void> => {
    for (let count = 1; !signal.aborted; count += 1) {
      const state = await check();
      onCredentialsFailed(state.connected || state.reason !== 'CredentialsFailed' ? undefined : state.message);
      if (state.connected || state.reason === 'Unavailable') return;
      if (state.reason === 'CredentialsFailed') {
        count = 0;
        await clock.sleep(credentialsFailedEveryMs, signal);
        continue;
      }
      const isForbidden = state.reason === 'Forbidden';
      await clock.sleep(isForbidden ? forbiddenEveryMs : unauthorizedEveryMs, signal);
      if (count === checks) return send({ type: isForbidden ? 'forbidden' : 'unauthorized', message: state.message });
    }
  };

  watchExpiry();
  watchClockSteps(clock, signal, watchExpiry);
  return {
    refused() {
      if (isChecking || signal.aborted) return;
      isChecking = true;
      // Rejects only when the connection ends meanwhile.
      checkUntilDecided().then(
        () => {
          isChecking = false;
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
