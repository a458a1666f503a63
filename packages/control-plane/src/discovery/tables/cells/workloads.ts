import type {
  ControllerRevision,
  CronJob,
  DaemonSet,
  Deployment,
  Job,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  ReplicationController,
  StatefulSet,
} from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import type { Ages } from '../ages.ts';
import { nameOf, type RowPrinter, row } from '../cell.ts';
import { labelsText, selectorText } from '../label-text.ts';

interface WithContainers {
  readonly spec?: { readonly containers: readonly { readonly name: string; readonly image?: string }[] };
}

/** The names and the images of a pod template's containers. */
function containerCells(template: WithContainers | undefined): [names: string, images: string] {
  const containers = template?.spec?.containers ?? [];
  return [containers.map(({ name }) => name).join(','), containers.map(({ image = '' }) => image).join(',')];
}

export const deploymentRow: RowPrinter = row<Deployment>(
  ({ spec, status }) => [
    `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
    status?.updatedReplicas ?? 0,
    status?.availableReplicas ?? 0,
  ],
  ({ spec }) => [...containerCells(spec?.template), selectorText(spec?.selector)],
);

export const replicaSetRow: RowPrinter = row<ReplicaSet>(
  ({ spec, status }) => [spec?.replicas ?? 0, status?.replicas ?? 0, status?.readyReplicas ?? 0],
  ({ spec }) => [...containerCells(spec?.template), selectorText(spec?.selector) || '<none>'],
);

export const replicationControllerRow: RowPrinter = row<ReplicationController>(
  ({ spec, status }) => [spec?.replicas ?? 0, status?.replicas ?? 0, status?.readyReplicas ?? 0],
  ({ spec }) => [...containerCells(spec?.template), labelsText(spec?.selector)],
);

interface PodTemplateObject extends KubeObject {
  readonly template?: Pick<Pod, 'metadata' | 'spec'>;
}

/** The server does not show the age of these. */
export const podTemplateRow: RowPrinter = (object) => {
  const { template } = object as PodTemplateObject;
  return [nameOf(object), ...containerCells(template), labelsText(template?.metadata?.labels)];
};

export const statefulSetRow: RowPrinter = row<StatefulSet>(
  ({ spec, status }) => [`${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`],
  ({ spec }) => containerCells(spec?.template),
);

export const daemonSetRow: RowPrinter = row<DaemonSet>(
  ({ spec, status }) => [
    status?.desiredNumberScheduled ?? 0,
    status?.currentNumberScheduled ?? 0,
    status?.numberReady ?? 0,
    status?.updatedNumberScheduled ?? 0,
    status?.numberAvailable ?? 0,
    labelsText(spec?.template.spec?.nodeSelector),
  ],
  ({ spec }) => [...containerCells(spec?.template), selectorText(spec?.selector) || '<none>'],
);

export const controllerRevisionRow: RowPrinter = row<ControllerRevision>(({ metadata, revision }) => {
  const owner = metadata?.ownerReferences?.find(({ controller }) => controller);
  if (!owner) return ['<none>', revision ?? 0];
  const [group] = owner.apiVersion.includes('/') ? owner.apiVersion.split('/') : [''];
  const kind = group ? `${owner.kind}.${group}` : owner.kind;
  return [`${kind.toLowerCase()}/${owner.name}`, revision ?? 0];
});

/** In the order in which they decide. */
const jobStates: readonly (readonly [condition: string, shown: string])[] = [
  ['Complete', 'Complete'],
  ['Failed', 'Failed'],
  ['', 'Terminating'],
  ['Suspended', 'Suspended'],
  ['FailureTarget', 'FailureTarget'],
  ['SuccessCriteriaMet', 'SuccessCriteriaMet'],
];

function jobState({ metadata, status }: Job): string {
  const holds = (condition: string): boolean =>
    condition === ''
      ? metadata?.deletionTimestamp !== undefined
      : status?.conditions?.find(({ type }) => type === condition)?.status === 'True';
  return jobStates.find(([condition]) => holds(condition))?.[1] ?? 'Running';
}

function completionsText({ spec, status }: Job): string {
  const succeeded = status?.succeeded ?? 0;
  if (spec?.completions !== undefined) return `${succeeded}/${spec.completions}`;
  const parallelism = spec?.parallelism ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

const jobDuration = ({ status }: Job, ages: Ages): string =>
  status?.startTime === undefined ? '' : ages.between(status.startTime, status.completionTime);

export const jobRow: RowPrinter = row<Job>(
  (job, ages) => [jobState(job), completionsText(job), jobDuration(job, ages)],
  ({ spec }) => [...containerCells(spec?.template), selectorText(spec?.selector) || '<none>'],
);

const suspendText = (suspend: boolean | undefined): string =>
  suspend === undefined ? '<unset>' : suspend ? 'True' : 'False';

export const cronJobRow: RowPrinter = row<CronJob>(
  ({ spec, status }, ages) => [
    spec?.schedule ?? '',
    spec?.timeZone ?? '<none>',
    suspendText(spec?.suspend),
    status?.active?.length ?? 0,
    status?.lastScheduleTime === undefined ? '<none>' : ages.since(status.lastScheduleTime),
  ],
  ({ spec }) => [
    ...containerCells(spec?.jobTemplate.spec?.template),
    selectorText(spec?.jobTemplate.spec?.selector) || '<none>',
  ],
);

export const podDisruptionBudgetRow: RowPrinter = row<PodDisruptionBudget>(({ spec, status }) => [
  String(spec?.minAvailable ?? 'N/A'),
  String(spec?.maxUnavailable ?? 'N/A'),
  status?.disruptionsAllowed ?? 0,
]);
