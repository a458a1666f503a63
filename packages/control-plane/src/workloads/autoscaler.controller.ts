import { type Controller, defineController, done, on } from '@flotilla/kube';
import {
  deployments,
  type HorizontalPodAutoscaler,
  horizontalPodAutoscalers,
  replicaSets,
  replicationControllers,
  statefulSets,
} from '@flotilla/kube/kinds';
import { formatTime, semanticEqual } from '@flotilla/kube/meta';
import type { WorkloadContext } from './context.ts';

type Status = NonNullable<HorizontalPodAutoscaler['status']>;
type Condition = NonNullable<Status['conditions']>[number];
type Metric = NonNullable<NonNullable<HorizontalPodAutoscaler['spec']>['metrics']>[number];

/** Reports the status of an autoscaler in a cluster without a metrics API: it cannot compute the replicas. It never scales. */
export function autoscalerController({ informers, clock }: WorkloadContext): Controller {
  const autoscalers = informers.resource(horizontalPodAutoscalers);
  const caches = [
    { type: deployments, cache: informers.resource(deployments) },
    { type: replicaSets, cache: informers.resource(replicaSets) },
    { type: statefulSets, cache: informers.resource(statefulSets) },
    { type: replicationControllers, cache: informers.resource(replicationControllers) },
  ];
  const targeting = (kind: string) => (object: { metadata?: { namespace?: string; name?: string } }) =>
    autoscalers
      .list()
      .filter(
        ({ metadata, spec }) =>
          metadata?.namespace === object.metadata?.namespace &&
          spec?.scaleTargetRef.kind === kind &&
          spec.scaleTargetRef.name === object.metadata?.name,
      )
      .map(({ metadata }) => `${metadata?.namespace}/${metadata?.name}`);

  /** How many replicas the target shall have; or why it is not known. */
  const replicasOf = ({ metadata, spec }: HorizontalPodAutoscaler): number | string => {
    const { kind = '', name = '', apiVersion = '' } = spec?.scaleTargetRef ?? {};
    const found = caches.find(({ type }) => type.kind === kind);
    if (!found) return `no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`;
    const target = found.cache.get(`${metadata?.namespace}/${name}`);
    const { group, plural } = found.type;
    const resource = group === '' ? plural : `${plural}.${group}`;
    return target ? (target.spec?.replicas ?? 1) : `${resource} ${JSON.stringify(name)} not found`;
  };

  return defineController({
    name: 'autoscalers',
    watches: [on(autoscalers), ...caches.map(({ type, cache }) => on(cache, targeting(type.kind)))],
    async reconcile(key) {
      const autoscaler = autoscalers.get(key);
      if (!autoscaler || autoscaler.metadata?.deletionTimestamp) return done;
      const status = statusOf(autoscaler, replicasOf(autoscaler), formatTime(clock.now()));
      if (!semanticEqual(status, autoscaler.status)) await autoscalers.status.replace({ ...autoscaler, status });
      return done;
    },
  });
}

function statusOf({ spec, status }: HorizontalPodAutoscaler, replicas: number | string, now: string): Status {
  const conditions =
    typeof replicas === 'string' ? [unreachable(replicas)] : [reachable, inactive(replicas, spec?.metrics)];
  return {
    currentMetrics: status?.currentMetrics,
    desiredReplicas: status?.desiredReplicas ?? 0,
    ...(typeof replicas === 'number' && replicas > 0 && { currentReplicas: replicas }),
    conditions: conditions.map((condition) => {
      const known = status?.conditions?.find(({ type }) => type === condition.type);
      return { ...condition, lastTransitionTime: known?.status === condition.status ? known.lastTransitionTime : now };
    }),
  };
}

const reachable: Condition = {
  type: 'AbleToScale',
  status: 'True',
  reason: 'SucceededGetScale',
  message: "the HPA controller was able to get the target's current scale",
};

const unreachable = (why: string): Condition => ({
  type: 'AbleToScale',
  status: 'False',
  reason: 'FailedGetScale',
  message: `the HPA controller was unable to get the target's current scale: ${why}`,
});

function inactive(replicas: number, metrics: readonly Metric[] = []): Condition {
  if (replicas === 0) {
    const message = 'scaling is disabled since the replica count of the target is zero';
    return { type: 'ScalingActive', status: 'False', reason: 'ScalingDisabled', message };
  }
  const [metric] = metrics;
  const message = `the HPA was unable to compute the replica count: ${metric ? unknownMetric(metric) : 'no metrics'}`;
  return { type: 'ScalingActive', status: 'False', reason: `FailedGet${metric?.type ?? 'Resource'}Metric`, message };
}

/** In the words of the real autoscaler, which asks an API that this cluster does not have. */
function unknownMetric({ type, resource, containerResource, pods, object, external }: Metric): string {
  const named = resource ?? containerResource;
  if (named) {
    const of = named.target.type === 'Utilization' ? `${named.name} utilization` : `${named.name} value`;
    return `failed to get ${of}: unable to get metrics for resource ${named.name}: unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)`;
  }
  const name = (pods ?? object ?? external)?.metric.name ?? '';
  const api = type === 'External' ? 'external' : 'custom';
  return `unable to get ${api === 'external' ? 'external ' : ''}metric ${name}: unable to fetch metrics from ${api} metrics API: no ${api} metrics API (${api}.metrics.k8s.io) registered`;
}
