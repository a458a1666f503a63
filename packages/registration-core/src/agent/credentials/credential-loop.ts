import { LogReason } from '@flotilla/api-types';
import { backoffMs, type Clock, KubeError, type Logger } from '@flotilla/kube';
import type {
  AgentDriver,
  DriverCondition,
  DriverConnection,
  ObtainOutcome,
  StoredCredentials,
} from '../../contract/index.ts';
import type { CredentialStore } from './credential-store.ts';
import { Wakeable } from './wakeable.ts';

/** What keeps one set of credentials fresh. */
export interface CredentialLoopOptions {
  readonly driver: AgentDriver;
  readonly connection: Omit<DriverConnection, 'wake'>;
  readonly store: CredentialStore;
  /** Written beside what the driver obtains: kubeconfig and names. */
  readonly additional: StoredCredentials;
  /** Does as if nothing were stored until the driver obtained something. */
  readonly startEmpty?: boolean;
  /** Looks at what is stored at least this often, for Secrets that nobody watches. Default: once a day. */
  readonly recheckMs?: number;
  /** Told after something was obtained and is stored. */
  readonly onStored?: (stored: StoredCredentials) => void;
  /** Told what the driver reports, after what it obtained is safe. */
  readonly onCondition?: (condition: DriverCondition) => Promise<void>;
  /** Told what a person should read while nothing moves. */
  readonly onWaiting?: (why: string) => void;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
}

/** Timers beyond this overflow, and clocks drift: look at least once a day. */
const longestWaitMs = 24 * 3_600_000;
const retry = { baseMs: 500, maxMs: 5 * 60_000 };

/**
 * Obtains, stores and renews until the connection ends. What was obtained is kept until it is stored: a failing write never costs
 * a second request.
 */
export async function keepCredentials(options: CredentialLoopOptions): Promise<void> {
  const { driver, store, additional, clock, log, random } = options;
  const { signal } = options.connection;
  const bell = new Wakeable(clock);
  const connection: DriverConnection = { ...options.connection, wake: bell.wake };
  let unsaved: { credentials: StoredCredentials; condition?: DriverCondition | undefined } | undefined;
  let isEmpty = options.startEmpty ?? false;
  let failures = 0;
  driver.connect(connection);

  const pass = async (): Promise<number> => {
    if (!unsaved) {
      const stored = isEmpty ? {} : ((await store.read()) ?? {});
      const outcome = await driver.obtain(stored, connection);
      if (outcome.kind !== 'obtained') return settle(outcome);
      unsaved = { credentials: outcome.credentials, condition: outcome.condition };
    }
    const { credentials, condition } = unsaved;
    await store.write({ ...additional, ...credentials });
    unsaved = undefined;
    isEmpty = false;
    log.info('stored new credentials for the hub', { event: LogReason.SecretSave });
    options.onStored?.((await store.read()) ?? {});
    if (condition) await options.onCondition?.(condition);
    return 0;
  };

  const settle = async (outcome: Exclude<ObtainOutcome, { kind: 'obtained' }>): Promise<number> => {
    if (outcome.condition) await options.onCondition?.(outcome.condition);
    if (outcome.kind === 'failed') throw outcome.error;
    if (outcome.kind === 'waiting') options.onWaiting?.(outcome.why);
    return Math.min(outcome.nextCheckMs ?? longestWaitMs, options.recheckMs ?? longestWaitMs);
  };

  while (!signal.aborted) {
    let waitMs: number;
    try {
      waitMs = await pass();
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      waitMs = backoffMs(retry, failures, random());
      log.warn('cannot get credentials for the hub', { error: KubeError.from(error), retryMs: waitMs });
    }
    if (waitMs > 0) await bell.wait(waitMs, signal);
  }
}
