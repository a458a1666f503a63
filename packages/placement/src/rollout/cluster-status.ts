import type { EpochMs } from '@flotilla/kube/clock';
import type { GroupKey } from './decision-tracker.ts';

/** How far a change is on one cluster. */
export type RolloutStatus = 'ToApply' | 'Progressing' | 'Succeeded' | 'Failed' | 'TimeOut' | 'Skip';

/** How far a change is on one cluster, and since when. Times are milliseconds since the epoch. */
export interface ClusterRolloutStatus {
  readonly clusterName: string;
  readonly groupKey: GroupKey;
  readonly status: RolloutStatus;
  readonly lastTransitionTime?: EpochMs;
  /** When time alone changes what is to be done for the cluster. */
  readonly recheckTime?: EpochMs;
}

/** When a cluster counts as done, and when as failed. */
export interface ProgressLimits {
  /** How long a cluster must stay successful. */
  readonly soakMs: number;
  /** How long a cluster may take; Infinity for ever. */
  readonly deadlineMs: number;
  readonly now: EpochMs;
}

/** Where a cluster goes: it is part of the rollout, it took too long, or there is nothing to do for it. */
export type Classified =
  | { readonly list: 'rollout' | 'timeout'; readonly cluster: ClusterRolloutStatus }
  | { readonly list: 'none'; readonly cluster: ClusterRolloutStatus };

/** Decides where a cluster goes. */
export function classify(cluster: ClusterRolloutStatus, { soakMs, deadlineMs, now }: ProgressLimits): Classified {
  const since = cluster.lastTransitionTime ?? now;
  switch (cluster.status) {
    case 'ToApply':
      return { list: 'rollout', cluster };
    case 'TimeOut':
    case 'Skip':
      return { list: 'none', cluster };
    case 'Succeeded': {
      const recheckTime = since + soakMs;
      if (soakMs === 0 || now >= recheckTime) return { list: 'none', cluster };
      return { list: 'rollout', cluster: { ...cluster, recheckTime } };
    }
    default: {
      if (deadlineMs === Number.POSITIVE_INFINITY) return { list: 'rollout', cluster };
      const recheckTime = since + deadlineMs;
      if (now < recheckTime) return { list: 'rollout', cluster: { ...cluster, recheckTime } };
      return { list: 'timeout', cluster: { ...cluster, status: 'TimeOut', recheckTime } };
    }
  }
}

/** Whether a cluster counts against maxFailures. */
export const isFailure = ({ status }: ClusterRolloutStatus): boolean => status === 'Failed' || status === 'TimeOut';
