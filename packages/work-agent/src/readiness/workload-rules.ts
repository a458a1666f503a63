import { conditionWith, current, failed, inProgress, type ReadinessRule } from './readiness.ts';

/** A requirement of a workload: `fulfilled` of `wanted`, and its name in messages. */
type Count = readonly [name: string, fulfilled: number, wanted: number];

/** The first count that is not fulfilled, as a message. */
function firstMissing(counts: readonly Count[]): string | undefined {
  const missing = counts.find(([, fulfilled, wanted]) => fulfilled < wanted);
  return missing && `${missing[0]}: ${missing[1]}/${missing[2]}`;
}

/** `progressDeadlineSeconds` of a Deployment without a deadline. */
const noDeadline = 2 ** 31 - 1;

export const deploymentRule: ReadinessRule = (object) => {
  const { spec, status, conditions } = object;
  if (conditions.some(({ type, reason }) => type === 'Progressing' && reason === 'ProgressDeadlineExceeded')) {
    return failed('Progress deadline exceeded');
  }
  const wanted = spec.number('replicas') ?? 1;
  const replicas = status.number('replicas') ?? 0;
  const updated = status.number('updatedReplicas') ?? 0;
  const missing = firstMissing([
    ['Replicas', replicas, wanted],
    ['Updated', updated, wanted],
  ]);
  if (missing) return inProgress(missing);
  if (replicas > wanted) return inProgress(`Pending termination: ${replicas - wanted}`);
  const unready = firstMissing([
    ['Available', status.number('availableReplicas') ?? 0, updated],
    ['Ready', status.number('readyReplicas') ?? 0, wanted],
  ]);
  if (unready) return inProgress(unready);
  // Without a deadline, which Kubernetes writes as the largest number, the controller does not write the condition.
  const isProgressReported = (spec.number('progressDeadlineSeconds') ?? noDeadline) !== noDeadline;
  const progressing = conditionWith(object, 'Progressing', 'True');
  if (isProgressReported && progressing?.reason !== 'NewReplicaSetAvailable')
    return inProgress('ReplicaSet not Available');
  if (!conditionWith(object, 'Available', 'True')) return inProgress('Deployment not Available');
  return current(`Deployment is available. Replicas: ${replicas}`);
};

export const statefulSetRule: ReadinessRule = ({ spec, status }) => {
  const strategy = spec.fields('updateStrategy');
  if (strategy.text('type') === 'OnDelete') return current('StatefulSet is using the OnDelete update strategy');
  const wanted = spec.number('replicas') ?? 1;
  const replicas = status.number('replicas') ?? 0;
  const updated = status.number('updatedReplicas') ?? 0;
  const missing = firstMissing([
    ['Replicas', replicas, wanted],
    ['Ready', status.number('readyReplicas') ?? 0, wanted],
  ]);
  if (missing) return inProgress(missing);
  if (replicas > wanted) return inProgress(`Pending termination: ${replicas - wanted}`);
  const partition = strategy.fields('rollingUpdate').number('partition');
  if (partition !== undefined) {
    const outdated = firstMissing([['Updated', updated, wanted - partition]]);
    return outdated ? inProgress(outdated) : current(`Partition rollout complete. Updated: ${updated}`);
  }
  const outdated = firstMissing([['Current', status.number('currentReplicas') ?? 0, wanted]]);
  if (outdated) return inProgress(outdated);
  if (status.text('currentRevision') !== status.text('updateRevision')) {
    return inProgress('Waiting for updated revision to match current');
  }
  return current(`All replicas scheduled as expected. Replicas: ${replicas}`);
};

export const daemonSetRule: ReadinessRule = ({ status }) => {
  const wanted = status.number('desiredNumberScheduled');
  if (wanted === undefined) return inProgress('Missing .status.desiredNumberScheduled');
  const missing = firstMissing([
    ['Current', status.number('currentNumberScheduled') ?? 0, wanted],
    ['Updated', status.number('updatedNumberScheduled') ?? 0, wanted],
    ['Available', status.number('numberAvailable') ?? 0, wanted],
    ['Ready', status.number('numberReady') ?? 0, wanted],
  ]);
  return missing ? inProgress(missing) : current(`All replicas scheduled as expected. Replicas: ${wanted}`);
};

export const replicaSetRule: ReadinessRule = (object) => {
  const { spec, status } = object;
  if (conditionWith(object, 'ReplicaFailure', 'True')) return inProgress('Replica Failure condition. Check Pods');
  const wanted = spec.number('replicas') ?? 1;
  const replicas = status.number('replicas') ?? 0;
  const missing = firstMissing([
    ['Labelled', status.number('fullyLabeledReplicas') ?? 0, wanted],
    ['Available', status.number('availableReplicas') ?? 0, wanted],
    ['Ready', status.number('readyReplicas') ?? 0, wanted],
  ]);
  if (missing) return inProgress(missing);
  if (replicas > wanted) return inProgress(`Pending termination: ${replicas - wanted}`);
  return current(`ReplicaSet is available. Replicas: ${replicas}`);
};

/** Unlike in kstatus, a Job is not current while it runs: a rollout waits for what it does. */
export const jobRule: ReadinessRule = (object) => {
  const { spec, status } = object;
  const completions = spec.number('completions') ?? spec.number('parallelism') ?? 1;
  const count = (name: string): number => status.number(name) ?? 0;
  if (conditionWith(object, 'Complete', 'True')) {
    return current(`Job Completed. succeeded: ${count('succeeded')}/${completions}`);
  }
  if (conditionWith(object, 'Failed', 'True')) return failed(`Job Failed. failed: ${count('failed')}/${completions}`);
  if (conditionWith(object, 'Suspended', 'True')) return current('Job is suspended');
  if (status.text('startTime') === undefined) return inProgress('Job not started');
  return inProgress(
    `Job in progress. success: ${count('succeeded')}, active: ${count('active')}, failed: ${count('failed')}`,
  );
};

/** Unlike in kstatus, a Pod that failed is not current, and one that cannot be scheduled may be when nodes are added. */
export const podRule: ReadinessRule = (object) => {
  const { status } = object;
  const phase = status.text('phase');
  switch (phase) {
    case 'Succeeded':
      return current('Pod has completed successfully');
    case 'Failed':
      return failed('Pod has completed, but not successfully');
    case 'Running': {
      if (conditionWith(object, 'Ready', 'True')) return current('Pod is Ready');
      const crashing = status
        .list('containerStatuses')
        .filter((each) => each.fields('state').fields('waiting').text('reason') === 'CrashLoopBackOff')
        .map((each) => each.text('name') ?? '');
      if (crashing.length > 0) return failed(`Containers in CrashLoop state: ${crashing.join(',')}`);
      return inProgress('Pod is running but is not Ready');
    }
    case 'Pending':
      return conditionWith(object, 'PodScheduled', 'False')?.reason === 'Unschedulable'
        ? inProgress('Pod could not be scheduled')
        : inProgress('Pod is in the Pending phase');
    default:
      return inProgress(phase === undefined ? 'Pod phase not available' : `Pod is in the ${phase} phase`);
  }
};
