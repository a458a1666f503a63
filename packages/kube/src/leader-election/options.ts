import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Clock } from '../clock/clock.ts';
import { realClock } from '../clock/real-clock.ts';
import { KubeError } from '../errors/kube-error.ts';
import type { Lease } from '../kinds/built-in-types.ts';
import { type Logger, silentLogger } from '../log/logger.ts';
import type { ObjectKey } from '../meta/keys.ts';
import { type KitMetrics, noMetrics } from '../metrics/kit-metrics.ts';
import type { ResourceHandle } from '../resources/resource-handle.ts';
import { isProcessGone, processMark } from './local-process.ts';

/** How a process competes for a lease. */
export interface LeaderElectionOptions {
  leases: ResourceHandle<Lease>;
  /** `namespace/name` of the Lease; it is created if it does not exist. */
  key: ObjectKey;
  /** Unique among the candidates. Default: host name, a random part and, where it can be known, which process of the host it is. */
  identity?: string;
  /**
   * Whether a holder is certainly no longer running, so that its lease need not run out. Default: its identity names a process of
   * this machine that has ended.
   */
  isHolderGone?(identity: string): boolean;
  /** Runs while this process leads. Its signal aborts when it must stop: asked to by `signal`, or leadership was lost. */
  onStartedLeading(signal: AbortSignal): Promise<void>;
  /** Called when another holder is seen. */
  onNewLeader?(identity: string): void;
  /** Ends the candidacy or, once `onStartedLeading` has ended, the leadership. */
  signal?: AbortSignal;
  /** How long others wait after the last sign of life. Default 137 s: survives a minute without an API server. */
  leaseDurationMs?: number;
  /** How long the leader tries to renew before it gives up. Default 107 s; must be shorter than the lease. */
  renewDeadlineMs?: number;
  /** Between renewals, and between polls of a candidate that cannot watch. Default 26 s. */
  retryPeriodMs?: number;
  /** Whether to hand the lease back at the end, so that the next leader need not wait. Default true. */
  releaseOnCancel?: boolean;
  clock?: Clock;
  log?: Logger;
  metrics?: Pick<KitMetrics, 'leader'>;
  /** In [0, 1). Default Math.random. */
  random?: () => number;
}

/** The options with all defaults set. */
export type ElectionSettings = Required<Omit<LeaderElectionOptions, 'signal' | 'onNewLeader'>> &
  Pick<LeaderElectionOptions, 'onNewLeader'> & { signal: AbortSignal };

/** Waits are spread up to this factor, so that candidates do not come at once. client-go's. */
export const jitterFactor = 1.2;

/** Fills in defaults and refuses times that cannot work. */
export function electionSettings(options: LeaderElectionOptions): ElectionSettings {
  const settings: ElectionSettings = {
    ...options,
    identity: options.identity ?? [hostname(), randomUUID(), processMark()].filter((part) => part).join('_'),
    isHolderGone: options.isHolderGone ?? isProcessGone,
    leaseDurationMs: options.leaseDurationMs ?? 137_000,
    renewDeadlineMs: options.renewDeadlineMs ?? 107_000,
    retryPeriodMs: options.retryPeriodMs ?? 26_000,
    releaseOnCancel: options.releaseOnCancel ?? true,
    signal: options.signal ?? new AbortController().signal,
    clock: options.clock ?? realClock,
    log: (options.log ?? silentLogger).child({ lease: options.key }),
    metrics: options.metrics ?? noMetrics,
    random: options.random ?? Math.random,
  };
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs, identity } = settings;
  const refuse = (message: string, hint: string) => new KubeError('Config', `leader election: ${message}`, { hint });
  if (identity === '') throw refuse('identity is empty', 'Leave it out, or give each process its own.');
  if (leaseDurationMs < 1000) throw refuse(`the lease duration is ${leaseDurationMs} ms`, 'Make it at least a second.');
  if (leaseDurationMs <= renewDeadlineMs) {
    throw refuse(
      `the renew deadline (${renewDeadlineMs} ms) is not shorter than the lease duration (${leaseDurationMs} ms)`,
      'Otherwise two leaders could overlap: use for example 137 s, 107 s and 26 s.',
    );
  }
  if (renewDeadlineMs <= retryPeriodMs * jitterFactor) {
    throw refuse(
      `the retry period (${retryPeriodMs} ms) leaves no second try before the renew deadline (${renewDeadlineMs} ms)`,
      `Make the renew deadline more than ${jitterFactor} times the retry period.`,
    );
  }
  return settings;
}
