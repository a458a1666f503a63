import { KubeError } from '../errors/kube-error.ts';
import type { Lease } from '../kinds/built-in-types.ts';
import { splitKey } from '../meta/keys.ts';
import type { CallOptions } from '../resources/resource-handle.ts';
import { type Decision, decide, type ObservedLease, observe } from './leader-election.policy.ts';
import type { LeaseLock } from './lease-lock.ts';
import { type ElectionSettings, jitterFactor } from './options.ts';

/** A watch that the server ended in good order is opened again after at most this long. */
const reopenMs = 1000;

/** A lease that is ours, and the moment on our clock from which others may count its duration. */
export interface HeldLease {
  readonly lease: Lease;
  readonly since: number;
}

/**
 * Waits until the lease is ours and returns it; undefined if the signal aborted first.
 * It follows the lease by a watch, so that a released lease is taken at once, and checks again when the lease should have
 * expired, so that nothing depends on the watch. Without permission to watch it polls every retry period.
 */
export const becomeLeader = (settings: ElectionSettings, lock: LeaseLock): Promise<HeldLease | undefined> =>
  new Candidate(settings, lock).lead();

class Candidate {
  readonly #settings: ElectionSettings;
  readonly #lock: LeaseLock;
  #observed: ObservedLease | undefined;
  #lastHolder: string | undefined;
  #mayWatch = true;

  constructor(settings: ElectionSettings, lock: LeaseLock) {
    this.#settings = settings;
    this.#lock = lock;
  }

  async lead(): Promise<HeldLease | undefined> {
    const { renewDeadlineMs, retryPeriodMs, signal, log } = this.#settings;
    while (!signal.aborted) {
      try {
        const held = await this.#attempt({ signal, deadlineMs: renewDeadlineMs / 2 });
        if (held) return held;
      } catch (error) {
        if (signal.aborted) return undefined;
        // Another was faster: see who.
        if (KubeError.is(error, 'Conflict', 'AlreadyExists')) continue;
        // A kubeconfig that is missing or broken: trying again cannot help, and whoever started the process must know.
        if (KubeError.is(error, 'Config')) throw error;
        log.warn('the lease can be neither read nor taken, trying again', { error });
        await this.#pause(retryPeriodMs);
      }
    }
    return undefined;
  }

  /** Takes the lease if it is free, or waits until it may be. */
  async #attempt(options: CallOptions): Promise<HeldLease | undefined> {
    const { clock, retryPeriodMs } = this.#settings;
    const lease = await this.#lock.read(options);
    const decision = this.#evaluate(lease);
    const since = clock.monotonic();
    if (decision.act !== 'wait') return { lease: await this.#lock.acquire(lease, options), since };
    if (lease && this.#mayWatch) await this.#follow(lease, decision.ms);
    else await this.#pause(Math.min(retryPeriodMs, decision.ms));
    return undefined;
  }

  #pause(ms: number): Promise<void> {
    const { clock, random, signal } = this.#settings;
    return clock.sleep(ms * (1 + (jitterFactor - 1) * random()), signal).catch(() => undefined);
  }

  #evaluate(lease: Lease | undefined): Decision {
    const { identity, leaseDurationMs, isHolderGone, onNewLeader, clock, log } = this.#settings;
    const now = clock.monotonic();
    this.#observed = lease && observe(this.#observed, lease, now);
    const decision = decide(this.#observed, identity, now, leaseDurationMs, isHolderGone);
    if (decision.act === 'wait' && decision.holder !== this.#lastHolder) {
      this.#lastHolder = decision.holder;
      log.info('another process leads', { holder: this.#lastHolder });
      onNewLeader?.(this.#lastHolder);
    }
    return decision;
  }

  /** Returns when it is time to check: the lease was freed, removed or not renewed, or the watch ended. */
  async #follow(lease: Lease, untilExpiryMs: number): Promise<void> {
    const { retryPeriodMs, signal, clock, log } = this.#settings;
    const expiry = new AbortController();
    let cancelTimer = clock.schedule(untilExpiryMs, () => expiry.abort());
    try {
      for await (const event of this.#watch(lease, AbortSignal.any([signal, expiry.signal]))) {
        if (event.type === 'BOOKMARK') continue;
        const decision = this.#evaluate(event.type === 'DELETED' ? undefined : event.object);
        if (decision.act !== 'wait') return;
        cancelTimer();
        cancelTimer = clock.schedule(decision.ms, () => expiry.abort());
      }
    } catch (error) {
      if (expiry.signal.aborted || signal.aborted) return;
      if (KubeError.is(error, 'Forbidden', 'MethodNotAllowed')) {
        this.#mayWatch = false;
        log.info('cannot watch the lease, polling it instead', { error });
        return;
      }
      log.debug('the watch of the lease ended', { error });
    } finally {
      cancelTimer();
    }
    await this.#pause(Math.min(retryPeriodMs, reopenMs));
  }

  #watch({ metadata }: Lease, signal: AbortSignal) {
    const { leases, key } = this.#settings;
    const { namespace, name } = splitKey(key);
    return leases.watch({
      namespace,
      fieldSelector: `metadata.name=${name}`,
      resourceVersion: metadata?.resourceVersion,
      priority: 'critical',
      signal,
    });
  }
}
