import { KubeError } from '../errors/kube-error.ts';
import type { Lease } from '../kinds/built-in-types.ts';
import { becomeLeader, type HeldLease } from './candidate.ts';
import { createLeaseLock, type LeaseLock } from './lease-lock.ts';
import { type ElectionSettings, electionSettings, type LeaderElectionOptions } from './options.ts';

/**
 * How it ended: `onStartedLeading` finished on its own, `signal` aborted, or the lease could not be renewed or another
 * holds it. After `lost` a process should exit: what it still does may cross the work of the next leader.
 */
export type LeadershipEnd = 'finished' | 'canceled' | 'lost';

/** Handing back at the end is a courtesy; the process must not hang on it. */
const releaseDeadlineMs = 5000;

/** A leader that failed to renew tries again this soon: its time runs out. */
const afterFailureMs = 2000;

/**
 * Waits to become the leader, runs `onStartedLeading` while it is, and hands the lease back after it has ended.
 * Excludes, and is excluded by, every candidate that uses client-go's leader election on the same Lease.
 * What `onStartedLeading` throws is thrown, after the lease is handed back.
 */
export async function runAsLeader(options: LeaderElectionOptions): Promise<LeadershipEnd> {
  const settings = electionSettings(options);
  const lock = createLeaseLock(settings);
  settings.metrics.leader({ lease: settings.key }, false);
  const held = await becomeLeader(settings, lock);
  return held ? lead(settings, lock, held) : 'canceled';
}

async function lead(settings: ElectionSettings, lock: LeaseLock, held: HeldLease): Promise<LeadershipEnd> {
  const { signal, clock, log, metrics, key, identity } = settings;
  log.info('leading', { identity });
  metrics.leader({ lease: key }, true);
  const stop = new AbortController();
  const forward = () => stop.abort(signal.reason);
  if (signal.aborted) forward();
  else signal.addEventListener('abort', forward, { once: true });

  const ended = new AbortController();
  const work = start(settings, stop.signal).finally(() => ended.abort());
  try {
    const kept = await keepRenewing(settings, lock, held, ended.signal);
    if (kept) {
      if (settings.releaseOnCancel) await release(settings, lock, kept);
      await work.catch((error: unknown) => {
        const obeyed = signal.aborted && (error === signal.reason || KubeError.from(error).code === 'Canceled');
        if (!obeyed) throw error;
      });
      return signal.aborted ? 'canceled' : 'finished';
    }
    log.error('leadership lost: the lease was not renewed in time, or another took it', { identity });
    stop.abort(new KubeError('Conflict', `leadership of ${key} was lost`, { hint: 'Exit and compete again.' }));
    // From then on another may lead, whether our work has ended or not.
    const graceMs = settings.leaseDurationMs - settings.renewDeadlineMs;
    await Promise.race([work, clock.sleep(graceMs, ended.signal)]).catch(() => undefined);
    return 'lost';
  } finally {
    signal.removeEventListener('abort', forward);
    metrics.leader({ lease: key }, false);
    work.catch(() => undefined); // Thrown above, unless leadership was lost before.
  }
}

/** Also what throws before it returns a promise is thrown through the promise. */
const start = async (settings: ElectionSettings, signal: AbortSignal): Promise<void> =>
  settings.onStartedLeading(signal);

/** Renews until the work has ended and returns the lease then; undefined if leadership was lost before. */
async function keepRenewing(
  { clock, log, retryPeriodMs, renewDeadlineMs }: ElectionSettings,
  lock: LeaseLock,
  held: HeldLease,
  ended: AbortSignal,
): Promise<Lease | undefined> {
  let { lease, since } = held;
  let pauseMs = retryPeriodMs;
  while (!ended.aborted) {
    const leftMs = since + renewDeadlineMs - clock.monotonic();
    if (leftMs <= 0) return undefined;
    await clock.sleep(Math.min(pauseMs, leftMs), ended).catch(() => undefined);
    if (ended.aborted) break;
    // Counted from before the request: others count from when they see it.
    const sentAt = clock.monotonic();
    const late = new AbortController();
    const cancelLate = clock.schedule(since + renewDeadlineMs - sentAt, () => late.abort());
    try {
      const renewed = await lock.renew(lease, { signal: late.signal, deadlineMs: renewDeadlineMs / 2 });
      if (!renewed) return undefined;
      lease = renewed;
      since = sentAt;
      pauseMs = retryPeriodMs;
    } catch (error) {
      log.warn('the lease was not renewed, trying again', { error });
      pauseMs = Math.min(retryPeriodMs, afterFailureMs);
    } finally {
      cancelLate();
    }
  }
  return lease;
}

async function release({ log }: ElectionSettings, lock: LeaseLock, lease: Lease): Promise<void> {
  try {
    await lock.release(lease, { deadlineMs: releaseDeadlineMs });
    log.info('lease handed back');
  } catch (error) {
    // Others take it when it expires.
    log.warn('the lease was not handed back', { error });
  }
}
