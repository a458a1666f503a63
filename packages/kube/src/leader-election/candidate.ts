import { KubeError } from '../errors/kube-error.ts';
import { splitKey } from '../meta/keys.ts';
import type { Lease } from '../resources/core-types.ts';
import { judge, type ObservedLease, observe, type Verdict } from './leader-election.policy.ts';
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
 * It follows the lease by a watch, so that a released lease is taken at once, and looks again when the lease should have
 * expired, so that nothing depends on the watch. Without the right to watch it looks every retry period.
 */
export async function becomeLeader(settings: ElectionSettings, lock: LeaseLock): Promise<HeldLease | undefined> {
  const { leases, key, identity, leaseDurationMs, renewDeadlineMs, retryPeriodMs, signal, clock, log } = settings;
  const { namespace, name } = splitKey(key);
  let observed: ObservedLease | undefined;
  let lastHolder: string | undefined;
  let mayWatch = true;

  const pause = (ms: number) =>
    clock.sleep(ms * (1 + (jitterFactor - 1) * settings.random()), signal).catch(() => undefined);

  const weigh = (lease: Lease | undefined): Verdict => {
    const now = clock.monotonic();
    observed = lease && observe(observed, lease, now);
    const verdict = judge(observed, identity, now, leaseDurationMs);
    if (verdict.act === 'wait' && verdict.holder !== lastHolder) {
      lastHolder = verdict.holder;
      log.info('another process leads', { holder: lastHolder });
      settings.onNewLeader?.(lastHolder);
    }
    return verdict;
  };

  /** Returns when it is time to look: the lease was freed, removed or not renewed, or the watch ended. */
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
        const verdict = weigh(event.type === 'DELETED' ? undefined : event.object);
        if (verdict.act !== 'wait') return;
        cancelTimer();
        cancelTimer = clock.schedule(verdict.ms, () => expiry.abort());
      }
    } catch (error) {
      if (expiry.signal.aborted || signal.aborted) return;
      if (KubeError.is(error, 'Forbidden', 'MethodNotAllowed')) {
        mayWatch = false;
        log.info('may not watch the lease, looking at it now and then instead', { error });
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
      const verdict = weigh(lease);
      const since = clock.monotonic();
      if (verdict.act !== 'wait') return { lease: await lock.acquire(lease, options), since };
      if (lease && mayWatch) await follow(lease, verdict.ms);
      else await pause(Math.min(retryPeriodMs, verdict.ms));
    } catch (error) {
      if (signal.aborted) return undefined;
      // Another was faster: see who.
      if (KubeError.is(error, 'Conflict', 'AlreadyExists')) continue;
      log.warn('the lease can be neither read nor taken, trying again', { error });
      await pause(retryPeriodMs);
    }
  }
  return undefined;
}
