import { LogReason } from '@flotilla/api-types';
import { type Clock, KubeError, type Logger } from '@flotilla/kube';
import { backoffMs, watchClockSteps } from '@flotilla/kube/clock';
import type { Observable } from 'rxjs';
import {
  type CredentialIssuer,
  type DriverCondition,
  type DriverNotes,
  type HubEndpoint,
  type IssuerContext,
  isNote,
  type ObtainOutcome,
  type StoredCredentials,
} from '../../contract/index.ts';
import { isSameEndpoint } from '../hub-endpoint/compare-endpoints.ts';
import { isStoredFor } from '../hub-endpoint/stored-endpoint.ts';
import { announcedServerKey } from '../state/secret-entries.ts';
import type { CredentialStore } from './credential-store.ts';
import { WakeSignal } from './wake-signal.ts';

/** What keeps one set of credentials fresh. */
export interface CredentialLoopOptions {
  readonly issuer: CredentialIssuer;
  readonly connection: Omit<IssuerContext, 'wake'>;
  readonly store: CredentialStore;
  /** Where the credentials lead now. */
  readonly endpoint: () => HubEndpoint;
  /** Entries that are stored beside the credentials: the names of cluster and agent. */
  readonly names: StoredCredentials;
  /** Ignores all that is stored but notes until the issuer obtained something. */
  readonly startEmpty?: boolean;
  /** Stores the issuer's notes in the Secret too. Not where others start as soon as the Secret exists, as with add-ons. */
  readonly storeNotes?: boolean;
  /** Removes entries that an earlier auth type stored. Not where others keep entries of their own, as in the Secret of the agent. */
  readonly isExclusive?: boolean;
  /** Reads what is stored at least this often, for Secrets that are not watched. Default: once a day. */
  readonly recheckMs?: number;
  /** Emits when what failed is worth another try at once. */
  readonly retryOn?: Observable<void>;
  /** Called after something was obtained and is stored. */
  readonly onStored?: (stored: StoredCredentials) => void;
  /** Called with what the issuer reports, after what it obtained is stored. */
  readonly onCondition?: (condition: DriverCondition) => Promise<void>;
  /** Called with what the agent waits for. */
  readonly onWaiting?: (why: string) => void;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
}

/** Timers beyond this overflow, and clocks drift. */
const longestWaitMs = 24 * 3_600_000;
const retry = { baseMs: 500, maxMs: 30_000 };
/** However soon an issuer asks to be called again. */
const minWaitMs = 1000;
/** Results in a row after which the issuer is called again at once: a key is noted, a request is made, a certificate is stored. */
const maxAtOnce = 5;

/**
 * Obtains, stores and renews until the connection ends. What was obtained is kept until it is stored: a failing write never costs
 * a second request.
 */
export async function keepCredentials(options: CredentialLoopOptions): Promise<void> {
  const { issuer, clock, log, random } = options;
  const { signal } = options.connection;
  const wakeSignal = new WakeSignal(clock);
  const keeper = new CredentialKeeper(options, issuer.start({ ...options.connection, wake: wakeSignal.wake }));
  let failures = 0;
  let atOnce = 0;
  // Whether a certificate is due is a matter of the wall clock.
  watchClockSteps(clock, signal, wakeSignal.wake);
  const retries = options.retryOn?.subscribe(wakeSignal.wake);
  while (!signal.aborted) {
    let waitMs: number;
    try {
      waitMs = await keeper.sync();
      failures = 0;
      atOnce = waitMs > 0 ? 0 : atOnce + 1;
      if (atOnce > maxAtOnce) waitMs = minWaitMs;
    } catch (error) {
      if (signal.aborted) break;
      failures += 1;
      waitMs = backoffMs(retry, failures, random());
      log.warn('cannot get credentials for the hub', { error: KubeError.from(error), retryMs: waitMs });
    }
    if (waitMs > 0) await wakeSignal.wait(waitMs, signal);
  }
  retries?.unsubscribe();
}

class CredentialKeeper {
  readonly #options: CredentialLoopOptions;
  readonly #obtain: ReturnType<CredentialIssuer['start']>;
  #unsaved: { credentials: StoredCredentials; condition?: DriverCondition | undefined } | undefined;
  #isEmpty: boolean;
  #unreported: DriverCondition | undefined;
  /** Undefined: removed. */
  readonly #notes: Record<string, string | undefined> = {};

  constructor(options: CredentialLoopOptions, obtain: ReturnType<CredentialIssuer['start']>) {
    this.#options = options;
    this.#obtain = obtain;
    this.#isEmpty = options.startEmpty ?? false;
  }

  /** What the issuer sees. */
  async #read(): Promise<StoredCredentials> {
    const stored = Object.entries((await this.#options.store.read()) ?? {});
    for (const [name, value] of stored) if (isNote(name) && !(name in this.#notes)) this.#notes[name] = value;
    const shown = Object.entries({ ...(this.#isEmpty ? {} : Object.fromEntries(stored)), ...this.#notes });
    return Object.fromEntries(shown.filter((entry): entry is [string, string] => entry[1] !== undefined));
  }
  async #remember(changes: DriverNotes | undefined): Promise<void> {
    if (!changes) return;
    if (this.#options.storeNotes) await this.#options.store.write(changes);
    Object.assign(this.#notes, changes);
  }

  /** What could not be reported, because others wrote at the same time or the hub did not answer, is reported with the next attempt. */
  async #report(condition: DriverCondition | undefined): Promise<void> {
    this.#unreported = condition ?? this.#unreported;
    if (!this.#unreported) return;
    await this.#options.onCondition?.(this.#unreported);
    this.#unreported = undefined;
  }

  /** Credentials that stay may still have to lead elsewhere, or trust another CA. */
  async #refreshKubeconfig(stored: StoredCredentials): Promise<void> {
    const { issuer, store, isExclusive, log } = this.#options;
    const endpoint = this.#options.endpoint();
    // Another auth type may have stored where the hub is, with its own credentials.
    const isStale = !leadsTo(issuer, stored, endpoint) || (isExclusive && !isAsWritten(issuer, stored));
    if (isStale) await store.write(issuer.describe(endpoint));
    // An agent of OCM, or an earlier one of ours, wrote it. The credentials are good also without the marks.
    await store.claim().catch((error: unknown) => log.warn('cannot mark the Secret of credentials', { error }));
  }

  /** One attempt; how long to wait before the next. */
  async sync(): Promise<number> {
    if (!this.#unsaved) {
      const stored = await this.#read();
      const outcome = await this.#obtain(stored);
      if (outcome.kind === 'unchanged') await this.#refreshKubeconfig(stored);
      if (outcome.kind !== 'obtained') return this.#waitFor(outcome);
      this.#unsaved = { credentials: outcome.credentials, condition: outcome.condition };
    }
    const { credentials, condition } = this.#unsaved;
    for (const name of Object.keys(this.#notes)) this.#notes[name] = undefined;
    const before = await this.#options.store.read();
    const endpoint = this.#options.endpoint();
    await this.#options.store.write({
      ...(this.#options.isExclusive && absent(before)),
      // What an earlier hub announced is no address of this one.
      ...(!isStoredFor(this.#options.issuer, before, endpoint) && { [announcedServerKey]: undefined }),
      ...this.#notes,
      ...this.#options.issuer.describe(endpoint),
      ...this.#options.names,
      ...credentials,
    });
    this.#unsaved = undefined;
    this.#isEmpty = false;
    this.#options.log.info('stored new credentials for the hub', { event: LogReason.SecretSave });
    const stored = (await this.#options.store.read()) ?? {};
    // The connection may have ended meanwhile, and what it led to with it. What is stored is found by the next one.
    if (this.#options.connection.signal.aborted) return 0;
    this.#options.onStored?.(stored);
    await this.#report(condition);
    return 0;
  }

  async #waitFor(outcome: Exclude<ObtainOutcome, { kind: 'obtained' }>): Promise<number> {
    if (outcome.kind !== 'unchanged') await this.#remember(outcome.notes);
    await this.#report(outcome.condition);
    if (outcome.kind === 'failed') throw outcome.error;
    if (outcome.kind === 'waiting') this.#options.onWaiting?.(outcome.why);
    const checkAfterMs = outcome.kind === 'waiting' ? outcome.checkAfterMs : outcome.next?.afterMs;
    if (outcome.kind === 'unchanged') this.#options.log.debug('credentials unchanged', { ...outcome.next });
    if (outcome.kind === 'waiting' && checkAfterMs === 0) return 0;
    return Math.min(atLeast(minWaitMs, checkAfterMs ?? longestWaitMs), this.#options.recheckMs ?? longestWaitMs);
  }
}

/** Not a number counts as too little. */
const atLeast = (minMs: number, ms: number): number => (Number.isNaN(ms) ? minMs : Math.max(minMs, ms));

/** All that is stored, removed. */
const absent = (stored: StoredCredentials = {}): Record<string, undefined> =>
  Object.fromEntries(Object.keys(stored).map((name) => [name, undefined]));

/** Whether what is stored about the hub is as this issuer writes it. */
function isAsWritten(issuer: CredentialIssuer, stored: StoredCredentials): boolean {
  const known = issuer.endpointOf(stored);
  return !known || Object.entries(issuer.describe(known)).every(([name, text]) => stored[name] === text);
}

/** Whether stored credentials lead to an endpoint; true for those that lead to no hub. */
function leadsTo(issuer: CredentialIssuer, stored: StoredCredentials, endpoint: HubEndpoint): boolean {
  try {
    const known = issuer.endpointOf(stored);
    return known === undefined || isSameEndpoint(known, endpoint);
  } catch {
    return false;
  }
}
