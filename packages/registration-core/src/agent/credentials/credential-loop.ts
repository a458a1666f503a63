import { LogReason } from '@flotilla/api-types';
import { backoffMs, type Clock, KubeError, type Logger } from '@flotilla/kube';
import {
  type AgentDriver,
  type DriverCondition,
  type DriverConnection,
  type DriverNotes,
  isNote,
  type ObtainOutcome,
  type StoredCredentials,
} from '../../contract/index.ts';
import type { CredentialStore } from './credential-store.ts';
import { isSameHub } from './hub-kubeconfig.ts';
import { Wakeable } from './wakeable.ts';

/** What keeps one set of credentials fresh. */
export interface CredentialLoopOptions {
  readonly driver: AgentDriver;
  readonly connection: Omit<DriverConnection, 'wake'>;
  readonly store: CredentialStore;
  /** Written beside what the driver obtains: kubeconfig and names, as they should be now. */
  readonly additional: () => StoredCredentials;
  /** Does as if nothing but notes were stored until the driver obtained something. */
  readonly startEmpty?: boolean;
  /** Keeps the driver's notes in the Secret too. Not where its mere existence tells others that they can begin, as with add-ons. */
  readonly storeNotes?: boolean;
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
const retry = { baseMs: 500, maxMs: 30_000 };

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
  /** Undefined: forgotten. */
  const notes: Record<string, string | undefined> = {};
  let failures = 0;
  driver.connect(connection);

  /** What the driver is shown. */
  const read = async (): Promise<StoredCredentials> => {
    const stored = Object.entries((await store.read()) ?? {});
    for (const [name, value] of stored) if (isNote(name) && !(name in notes)) notes[name] = value;
    const shown = Object.entries({ ...(isEmpty ? {} : Object.fromEntries(stored)), ...notes });
    return Object.fromEntries(shown.filter((entry): entry is [string, string] => entry[1] !== undefined));
  };
  const remember = async (changes: DriverNotes | undefined): Promise<void> => {
    if (!changes) return;
    if (options.storeNotes) await store.write(changes);
    Object.assign(notes, changes);
  };

  /** Credentials that stay may still have to lead elsewhere, or trust another CA. */
  const freshen = async ({ kubeconfig }: StoredCredentials): Promise<void> => {
    const wanted = additional().kubeconfig;
    if (kubeconfig && wanted && !isSameHub(kubeconfig, wanted)) await store.write({ kubeconfig: wanted });
  };

  const pass = async (): Promise<number> => {
    if (!unsaved) {
      const stored = await read();
      const outcome = await driver.obtain(stored, connection);
      if (outcome.kind === 'unchanged') await freshen(stored);
      if (outcome.kind !== 'obtained') return settle(outcome);
      unsaved = { credentials: outcome.credentials, condition: outcome.condition };
    }
    const { credentials, condition } = unsaved;
    for (const name of Object.keys(notes)) notes[name] = undefined;
    await store.write({ ...notes, ...additional(), ...credentials });
    unsaved = undefined;
    isEmpty = false;
    log.info('stored new credentials for the hub', { event: LogReason.SecretSave });
    options.onStored?.((await store.read()) ?? {});
    if (condition) await options.onCondition?.(condition);
    return 0;
  };

  const settle = async (outcome: Exclude<ObtainOutcome, { kind: 'obtained' }>): Promise<number> => {
    if (outcome.kind !== 'unchanged') await remember(outcome.notes);
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
