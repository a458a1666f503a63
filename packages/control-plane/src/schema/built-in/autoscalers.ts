import { type Json, type JsonObject, type KubeObject, parseJson, stringifyJson } from '@flotilla/schema';
import {
  fieldsOf,
  fromGo,
  goBehavior,
  listOf,
  type MetricSide,
  newerMetric,
  olderMetric,
} from './autoscaler-metrics.ts';
import { cpuUtilization, defaultCpuUtilization } from './defaults/autoscaling.ts';

/** What the older version of an autoscaler has no fields for is kept in annotations there. */
const annotationOf = {
  metrics: 'autoscaling.alpha.kubernetes.io/metrics',
  currentMetrics: 'autoscaling.alpha.kubernetes.io/current-metrics',
  conditions: 'autoscaling.alpha.kubernetes.io/conditions',
  behavior: 'autoscaling.alpha.kubernetes.io/behavior',
} as const;

interface Autoscaler extends KubeObject {
  readonly spec?: JsonObject;
  readonly status?: JsonObject;
}

/** The utilisation of a metric that the older version has a field for. */
const cpuOf = (metric: JsonObject, side: MetricSide): Json | undefined => {
  const resource = fieldsOf(metric.resource);
  return metric.type === 'Resource' && resource.name === 'cpu'
    ? fieldsOf(resource[side]).averageUtilization
    : undefined;
};

/** An autoscaler as the other of its two versions shows it. */
export function autoscalerInVersion(autoscaler: KubeObject, apiVersion: string): KubeObject {
  if (autoscaler.apiVersion === apiVersion) return autoscaler;
  return apiVersion === 'autoscaling/v1' ? toOlder(autoscaler) : toNewer(autoscaler);
}

function toOlder({ metadata, ...autoscaler }: Autoscaler): KubeObject {
  const { metrics, behavior, ...spec } = autoscaler.spec ?? {};
  const { currentMetrics, conditions, ...status } = autoscaler.status ?? {};
  const cpu = listOf(metrics).find((metric) => cpuOf(metric, 'target') !== undefined);
  const others = listOf(metrics).filter((metric) => cpuOf(metric, 'target') === undefined);
  const current = listOf(currentMetrics).findLast((metric) => cpuOf(metric, 'current') !== undefined);
  const kept: JsonObject = {
    ...(others.length > 0 && { metrics: others.map((metric) => olderMetric(metric, 'target')) }),
    ...(listOf(currentMetrics).length > 0 && {
      currentMetrics: listOf(currentMetrics).map((metric) => olderMetric(metric, 'current')),
    }),
    ...(listOf(conditions).length > 0 && { conditions: listOf(conditions).map(orderedCondition) }),
    ...(behavior && { behavior: goBehavior(fieldsOf(behavior)) }),
  };
  const annotations = {
    ...withoutKept(metadata?.annotations),
    ...Object.fromEntries(Object.entries(kept).map(([name, value]) => [nameOf(name), stringifyJson(value)])),
  };
  return {
    ...autoscaler,
    apiVersion: 'autoscaling/v1',
    metadata: withAnnotations(metadata, annotations),
    spec: { ...spec, ...(cpu && { targetCPUUtilizationPercentage: cpuOf(cpu, 'target') ?? null }) },
    status: {
      currentReplicas: 0,
      ...status,
      ...(current && { currentCPUUtilizationPercentage: cpuOf(current, 'current') ?? null }),
    },
  } as KubeObject;
}

function toNewer({ metadata, ...autoscaler }: Autoscaler): KubeObject {
  const { targetCPUUtilizationPercentage: cpu, ...spec } = autoscaler.spec ?? {};
  const { currentCPUUtilizationPercentage: _, currentReplicas, ...status } = autoscaler.status ?? {};
  const kept = (name: keyof typeof annotationOf): Json | undefined =>
    parsed(metadata?.annotations?.[annotationOf[name]]);
  const metrics = [
    ...listOf(kept('metrics')).map((metric) => newerMetric(metric, 'target')),
    ...(typeof cpu === 'number' ? [cpuUtilization(cpu)] : []),
  ];
  const behavior = fromGo(kept('behavior') ?? null);
  const currentMetrics = listOf(kept('currentMetrics')).map((metric) => newerMetric(metric, 'current'));
  const conditions = kept('conditions');
  return {
    ...autoscaler,
    apiVersion: 'autoscaling/v2',
    metadata: withAnnotations(metadata, withoutKept(metadata?.annotations)),
    spec: {
      ...spec,
      metrics: metrics.length > 0 ? metrics : [cpuUtilization(defaultCpuUtilization)],
      ...(behavior && { behavior }),
    },
    status: {
      currentMetrics: null,
      ...status,
      ...(currentReplicas ? { currentReplicas } : {}),
      ...(currentMetrics.length > 0 && { currentMetrics }),
      ...(conditions && { conditions }),
    },
  } as KubeObject;
}

const orderedCondition = ({ type = '', status = '', ...rest }: JsonObject): JsonObject => {
  const { lastTransitionTime = null, reason, message } = rest;
  return { type, status, lastTransitionTime, ...(reason && { reason }), ...(message && { message }) };
};

const nameOf = (name: string): string => annotationOf[name as keyof typeof annotationOf];

const withoutKept = (annotations: Readonly<Record<string, string>> = {}): Record<string, string> => {
  const ours: readonly string[] = Object.values(annotationOf);
  return Object.fromEntries(Object.entries(annotations).filter(([name]) => !ours.includes(name)));
};

const withAnnotations = (metadata: KubeObject['metadata'], annotations: Record<string, string>) => {
  const { annotations: _, ...rest } = metadata ?? {};
  return Object.keys(annotations).length > 0 ? { ...rest, annotations } : rest;
};

/** The annotation may hold anything, since clients can write it. */
function parsed(text: string | undefined): Json | undefined {
  if (text === undefined) return undefined;
  try {
    return parseJson(text) as Json;
  } catch {
    return undefined;
  }
}
