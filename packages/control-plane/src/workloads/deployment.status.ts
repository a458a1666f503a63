import type { Deployment, ReplicaSet } from '@flotilla/kube/kinds';
import { formatTime } from '@flotilla/kube/meta';
import { nonZero } from './owned-pods.ts';

type DeploymentStatus = NonNullable<Deployment['status']>;
type DeploymentCondition = NonNullable<DeploymentStatus['conditions']>[number];

/** A number or a share of `total`, as `maxSurge` and `maxUnavailable` are given. */
export function shareOf(value: unknown, total: number, round: (share: number) => number): number {
  if (typeof value === 'number') return value;
  const percent = /^(\d+)%$/.exec(String(value ?? '25%'))?.[1];
  return percent === undefined ? 0 : round((Number(percent) * total) / 100);
}

/** How many pods may be missing while a deployment counts as available. */
export function mayBeMissing({ spec }: Deployment): number {
  if (spec?.strategy?.type === 'Recreate') return 0;
  const replicas = spec?.replicas ?? 1;
  const { maxSurge, maxUnavailable } = spec?.strategy?.rollingUpdate ?? {};
  const missing = shareOf(maxUnavailable, replicas, Math.floor);
  return missing === 0 && shareOf(maxSurge, replicas, Math.ceil) === 0 ? 1 : missing;
}

/** What the deployment controller says of its replica sets. */
export function deploymentStatus(
  deployment: Deployment,
  current: ReplicaSet,
  all: readonly ReplicaSet[],
  now: number,
): DeploymentStatus {
  const wanted = deployment.spec?.replicas ?? 1;
  const sum = (count: (status: ReplicaSet['status']) => number | undefined): number =>
    all.reduce((total, { status }) => total + (count(status) ?? 0), 0);
  const total = sum((status) => status?.replicas);
  const available = sum((status) => status?.availableReplicas);
  const updated = current.status?.replicas ?? 0;
  const before = deployment.status ?? {};
  const isComplete = updated === wanted && total === wanted && available === wanted;
  const set = current.metadata?.name;
  const isAvailable = available >= wanted - mayBeMissing(deployment);
  const conditions = [
    isAvailable
      ? condition('Available', 'True', 'MinimumReplicasAvailable', 'Deployment has minimum availability.')
      : condition('Available', 'False', 'MinimumReplicasUnavailable', 'Deployment does not have minimum availability.'),
    isComplete
      ? condition('Progressing', 'True', 'NewReplicaSetAvailable', `ReplicaSet "${set}" has successfully progressed.`)
      : condition('Progressing', 'True', 'ReplicaSetUpdated', `ReplicaSet "${set}" is progressing.`),
  ].map((next) => stamped(next, before.conditions ?? [], now));
  return {
    ...(deployment.metadata?.generation !== undefined && { observedGeneration: deployment.metadata.generation }),
    ...nonZero({
      replicas: total,
      updatedReplicas: updated,
      readyReplicas: sum((status) => status?.readyReplicas),
      availableReplicas: available,
      unavailableReplicas: Math.max(0, Math.max(total, wanted) - available),
    }),
    conditions,
  };
}

const condition = (type: string, status: string, reason: string, message: string): DeploymentCondition => ({
  type,
  status,
  reason,
  message,
});

function stamped(next: DeploymentCondition, before: readonly DeploymentCondition[], now: number): DeploymentCondition {
  const old = before.find(({ type }) => type === next.type);
  if (old && old.status === next.status && old.reason === next.reason && old.message === next.message) return old;
  const time = formatTime(now);
  const lastTransitionTime = old?.status === next.status ? (old.lastTransitionTime ?? time) : time;
  return { ...next, lastUpdateTime: time, lastTransitionTime };
}
