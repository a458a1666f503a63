import { KubeError } from '../errors/kube-error.ts';
import type { Lease } from '../kinds/built-in-types.ts';
import { splitKey } from '../meta/keys.ts';
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
export async function becomeLeader(settings: ElectionSettings, lock: LeaseLock): Promise<HeldLease | undefined> {
  const { leases, key, identity, leaseDurationMs, renewDeadlineMs, retryPeriodMs, signal, clock, log } = settings;
  const { namespace, name } = splitKey(key);
  let observed: ObservedLease | undefined;
  let lastHolder: string | undefined;
  let mayWatch = true;

  const pause = (ms: number) =>
    clock.sleep(ms * (1 + (jitterFactor - 1) * settings.random()), signal).catch(() => undefined);

  const evaluate = (lease: Lease | undefined): Decision => {
    const now = clock.monotonic();
    observed = lease && observe(observed, lease, now);
    const decision = decide(observed, identity, now, leaseDurationMs, settings.isHolderGone);
    if (decision.act === 'wait' && decision.holder !== lastHolder) {
      lastHolder = decision.holder;
      log.info('another process leads', { holder: lastHolder });
      settings.onNewLeader?.(lastHolder);
    }
    return decision;
  };

  /** Returns when it is time to check: the lease was freed, removed or not renewed, or the watch ended. */
  const follow = async (lease: Lease, untilExpiryMs: number): Promise<void> => {
    const expiry = new AbortController();
    let cancelTimer = clock.schedule(untilExpiryMs, () => expiry.abort());
    try {
      const events = leases.watch({
        namespace,
        fieldSelector: `metadata.name=${name}`,
        resourceVersion: lease.metadata?.resourceVersion,
        priority: 'critical',
        signal: AbortSignal.any([signal, expiry.signal]),
      });
      for await (const event of events) {
        if (event.type === 'BOOKMARK') continue;
        const decision = evaluate(event.type === 'DELETED' ? undefined : event.object);
        if (decision.act !== 'wait') return;
        cancelTimer();
        cancelTimer = clock.schedule(decision.ms, () => expiry.abort());
      }
    } catch (error) {
      if (expiry.signal.aborted || signal.aborted) return;
      if (KubeError.is(error, 'Forbidden', 'MethodNotAllowed')) {
        mayWatch = false;
        log.info('cannot watch the lease, polling it instead', { error });
        return;
      }
      log.debug('the watch of the lease ended', { error });
    } finally {
      cancelTimer();
    }
    await pause(Math.min(retryPeriodMs, reopenMs));
  };

  while (!signal.aborted) {
    const options = { signal, deadlineMs: renewDeadlineMs / 2 };
    try {
      const lease = await lock.read(options);
      const decision = evaluate(lease);
      const since = clock.monotonic();
      if (decision.act !== 'wait') return { lease: await lock.acquire(lease, options), since };
      if (lease && mayWatch) await follow(lease, decision.ms);
      else await pause(Math.min(retryPeriodMs, decision.ms));
    } catch (error) {
      if (signal.aborted) return undefined;
      // Another was faster: see who.
      if (KubeError.is(error, 'Conflict', 'AlreadyExists')) continue;
      // A kubeconfig that is missing or broken: trying again cannot help, and whoever started the process must know.
      if (KubeError.is(error, 'Config')) throw error;
      log.warn('the lease can be neither read nor taken, trying again', { error });
      await pause(retryPeriodMs);
    }
  }
  return undefined;
}
