import { FeedbackValue, type ManifestFeedbackValue } from '@flotilla/api-types';
import type { ProbeResult } from '../definition/health.ts';

/** What is wrong with the first workload that is not available; undefined if all are. */
export function checkWorkloads(results: readonly ProbeResult[]): string | undefined {
  for (const result of results) {
    const wrong = checkWorkload(result);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function checkWorkload({ group, resource, namespace, name, values }: ProbeResult): string | undefined {
  const isDaemonSet = resource === 'daemonsets';
  if (group !== 'apps' || (resource !== 'deployments' && !isDaemonSet)) return undefined;
  if (values.length === 0) return `no values are probed for ${resource} ${namespace}/${name}`;
  const desired = integerOf(values, isDaemonSet ? FeedbackValue.DesiredNumberScheduled : FeedbackValue.Replicas);
  const ready = integerOf(values, isDaemonSet ? FeedbackValue.NumberReady : FeedbackValue.ReadyReplicas);
  if (desired === undefined) return 'desiredNumberReplicas is not probed';
  if (!isDaemonSet && desired === 0) return undefined;
  if (ready === undefined) return 'readyReplica is not probed';
  if (isDaemonSet ? ready === desired : ready >= 1) return undefined;
  return `desiredNumberReplicas is ${desired} but readyReplica is ${ready} for ${resource} ${namespace}/${name}`;
}

const integerOf = (values: readonly ManifestFeedbackValue[], name: string): number | undefined => {
  const integer = values.find((value) => value.name === name)?.fieldValue.integer;
  return integer === undefined ? undefined : Number(integer);
};
