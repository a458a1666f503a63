import type { JsonObject } from '@flotilla/schema';
import { child, children, type Defaulter, ensure, fill, textAt } from './fill.ts';
import { defaultPodTemplate } from './pod.ts';

const allPercent = '25%';
/** As good as no limit. */
const unlimited = 2 ** 31 - 1;

const workload =
  (defaults: (spec: JsonObject) => void): Defaulter =>
  (object) => {
    const spec = ensure(object, 'spec');
    defaultPodTemplate(spec);
    defaults(spec);
  };

const isRolling = (strategy: JsonObject): boolean => textAt(strategy, 'type') === 'RollingUpdate';

export const defaultDeployment = workload((spec) => {
  fill(spec, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 });
  const strategy = ensure(spec, 'strategy');
  fill(strategy, { type: 'RollingUpdate' });
  if (isRolling(strategy)) {
    fill(ensure(strategy, 'rollingUpdate'), { maxUnavailable: allPercent, maxSurge: allPercent });
  }
});

export const defaultReplicaSet = workload((spec) => fill(spec, { replicas: 1 }));

/** Selects, and is labelled, by the labels of its template unless it says otherwise. */
export const defaultReplicationController: Defaulter = (controller) => {
  const spec = ensure(controller, 'spec');
  const template = child(spec, 'template');
  if (template) defaultPodTemplate(spec);
  const labels = child(child(template ?? {}, 'metadata') ?? {}, 'labels');
  if (labels) {
    fill(spec, { selector: labels });
    fill(ensure(controller, 'metadata'), { labels });
  }
  fill(spec, { replicas: 1 });
};

export const defaultPodTemplateObject: Defaulter = (object) => defaultPodTemplate(object);

export const defaultDaemonSet = workload((spec) => {
  fill(spec, { revisionHistoryLimit: 10 });
  const strategy = ensure(spec, 'updateStrategy');
  fill(strategy, { type: 'RollingUpdate' });
  if (isRolling(strategy)) fill(ensure(strategy, 'rollingUpdate'), { maxUnavailable: 1, maxSurge: 0 });
});

export const defaultStatefulSet = workload((spec) => {
  fill(spec, { replicas: 1, revisionHistoryLimit: 10, podManagementPolicy: 'OrderedReady' });
  const strategy = ensure(spec, 'updateStrategy');
  fill(strategy, { type: 'RollingUpdate' });
  if (isRolling(strategy)) fill(ensure(strategy, 'rollingUpdate'), { partition: 0 });
  fill(ensure(spec, 'persistentVolumeClaimRetentionPolicy'), { whenDeleted: 'Retain', whenScaled: 'Retain' });
  for (const claim of children(spec, 'volumeClaimTemplates')) {
    fill(claim, { apiVersion: 'v1', kind: 'PersistentVolumeClaim' });
    defaultClaim(claim);
  }
});

export const defaultClaim: Defaulter = (claim) => {
  fill(ensure(claim, 'spec'), { volumeMode: 'Filesystem' });
  fill(ensure(claim, 'status'), { phase: 'Pending' });
};

export const defaultVolume: Defaulter = (volume) => {
  fill(ensure(volume, 'spec'), { volumeMode: 'Filesystem', persistentVolumeReclaimPolicy: 'Retain' });
  const hostPath = child(ensure(volume, 'spec'), 'hostPath');
  if (hostPath) fill(hostPath, { type: '' });
  fill(ensure(volume, 'status'), { phase: 'Pending' });
};

export const defaultJob: Defaulter = (job) => {
  const spec = ensure(job, 'spec');
  defaultJobSpec(spec);
  const metadata = ensure(job, 'metadata');
  const labels = child(ensure(ensure(spec, 'template'), 'metadata'), 'labels');
  if (labels && metadata.labels === undefined) metadata.labels = { ...labels };
};

function defaultJobSpec(spec: JsonObject): void {
  defaultPodTemplate(spec);
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  fill(spec, {
    parallelism: 1,
    backoffLimit: spec.backoffLimitPerIndex === undefined ? 6 : unlimited,
    completionMode: 'NonIndexed',
    suspend: false,
    manualSelector: false,
    podReplacementPolicy: spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed',
  });
  for (const rule of children(child(spec, 'podFailurePolicy'), 'rules')) {
    for (const condition of children(rule, 'onPodConditions')) fill(condition, { status: 'True' });
  }
}

export const defaultCronJob: Defaulter = (cronJob) => {
  const spec = ensure(cronJob, 'spec');
  fill(spec, {
    concurrencyPolicy: 'Allow',
    suspend: false,
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
  });
  const template = ensure(spec, 'jobTemplate');
  defaultPodTemplate(ensure(template, 'spec'));
};
