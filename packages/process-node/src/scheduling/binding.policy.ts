import { createHash } from 'node:crypto';
import type { Node, Pod, Taint, Toleration } from '@flotilla/kube/kinds';

/** What was decided for a pod without a node. */
export type BindingDecision =
  | { readonly kind: 'bind'; readonly node: string }
  /** In the words of the scheduler. */
  | { readonly kind: 'unschedulable'; readonly message: string };

/** The node for a pod: any that fits, the same for whoever decides, so that two schedulers do not disagree. */
export function chooseNode(pod: Pod, nodes: readonly Node[]): BindingDecision {
  const reasons = new Map<string, number>();
  const fitting = nodes
    .filter((node) => {
      const reason = misfit(pod, node);
      if (reason !== undefined) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      return reason === undefined;
    })
    .map(({ metadata }) => metadata?.name ?? '')
    .sort();
  const chosen = fitting[hashOf(pod) % Math.max(1, fitting.length)];
  if (chosen !== undefined) return { kind: 'bind', node: chosen };
  const why = [...reasons].map(([reason, count]) => `${count} ${reason}`).sort();
  const message = `0/${nodes.length} nodes are available: ${why.join(', ') || 'no nodes are registered'}.`;
  return { kind: 'unschedulable', message };
}

const hashOf = ({ metadata }: Pod): number =>
  createHash('sha256')
    .update(metadata?.uid ?? '')
    .digest()
    .readUInt32BE();

/** Why a pod cannot run on a node; undefined if it can. */
function misfit({ spec }: Pod, node: Node): string | undefined {
  const isReady = node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
  if (!isReady) return 'node(s) were not ready';
  if (node.spec?.unschedulable && !tolerates(spec?.tolerations ?? [], unschedulableTaint))
    return 'node(s) were unschedulable';
  const labels = node.metadata?.labels ?? {};
  const fits = Object.entries(spec?.nodeSelector ?? {}).every(([key, value]) => labels[key] === value);
  if (!fits) return "node(s) didn't match Pod's node affinity/selector";
  // Ready is known from the node itself; the taint that says otherwise is taken away a little later.
  const taints = (node.spec?.taints ?? []).filter(
    ({ key, effect }) => key !== notReadyKey && effect !== 'PreferNoSchedule',
  );
  const kept = taints.find((taint) => !tolerates(spec?.tolerations ?? [], taint));
  return kept && `node(s) had untolerated taint(s) {${kept.key}: ${kept.value ?? ''}}`;
}

const notReadyKey = 'node.kubernetes.io/not-ready';
const unschedulableTaint: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

const tolerates = (tolerations: readonly Toleration[], taint: Taint): boolean =>
  tolerations.some(({ key, operator = 'Equal', value = '', effect }) => {
    if (effect && effect !== taint.effect) return false;
    if (!key) return operator === 'Exists';
    return key === taint.key && (operator === 'Exists' || value === (taint.value ?? ''));
  });
