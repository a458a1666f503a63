import type { Pod } from '@flotilla/kube/kinds';
import { parseTime } from '@flotilla/kube/meta';
import type { Ages } from '../ages.ts';
import { type RowPrinter, row } from '../cell.ts';
import { type PodSummary, podSummary } from './pod-summary.ts';

/** Pods: how many containers are ready, what keeps the pod busy, how often containers were started again. */
export const podRow: RowPrinter = row<Pod>(
  (pod, ages) => {
    const summary = podSummary(pod);
    return [`${summary.ready}/${summary.total}`, summary.reason, restartsText(summary, ages)];
  },
  ({ spec, status }) => [
    status?.podIPs?.[0]?.ip || '<none>',
    spec?.nodeName || '<none>',
    status?.nominatedNodeName || '<none>',
    gatesText({ spec, status }),
  ],
);

const restartsText = ({ restarts, lastRestart }: PodSummary, ages: Ages): string =>
  restarts !== 0 && parseTime(lastRestart) !== undefined
    ? `${restarts} (${ages.since(lastRestart)} ago)`
    : String(restarts);

function gatesText({ spec, status }: Pick<Pod, 'spec' | 'status'>): string {
  const gates = spec?.readinessGates ?? [];
  if (gates.length === 0) return '<none>';
  const open = gates.filter(
    ({ conditionType }) => status?.conditions?.find(({ type }) => type === conditionType)?.status === 'True',
  );
  return `${open.length}/${gates.length}`;
}

/** Clients show finished pods apart from the others. */
export function podConditions(pod: Pod): readonly object[] | undefined {
  const phase = pod.status?.phase;
  if (phase !== 'Succeeded' && phase !== 'Failed') return undefined;
  const message = phase === 'Succeeded' ? 'The pod has completed successfully.' : 'The pod failed.';
  return [{ type: 'Completed', status: 'True', reason: phase, message }];
}
