import type { Pod } from '@flotilla/kube/kinds';
import { parseTime } from '@flotilla/kube/meta';
import { compareQuantities } from '@flotilla/schema';
import { type Amounts, sum } from './amounts.ts';

type PodSpec = NonNullable<Pod['spec']>;
type Side = 'requests' | 'limits';

const isFinished = ({ status }: Pod): boolean => status?.phase === 'Failed' || status?.phase === 'Succeeded';

/** A pod whose deletion is overdue, on a lost node, is not counted. */
function isOverdue({ metadata }: Pod, now: number): boolean {
  const deletion = parseTime(metadata?.deletionTimestamp);
  const { deletionGracePeriodSeconds: grace } = metadata ?? {};
  return deletion !== undefined && grace !== undefined && now > deletion + grace * 1000;
}

/** What a pod uses of a quota: itself, and what it requests and is limited to while it is not finished. */
export function podUsage(pod: Pod, now: number): Amounts {
  const counted = { 'count/pods': '1' };
  if (isFinished(pod) || isOverdue(pod, now)) return counted;
  const { spec } = pod;
  if (!spec) return { ...counted, pods: '1' };
  return { ...counted, ...computeUsage(podResources(spec, 'requests'), podResources(spec, 'limits')) };
}

/** By the names that quotas know. */
function computeUsage(requests: Amounts, limits: Amounts): Amounts {
  const usage: Record<string, string> = { pods: '1' };
  for (const [name, amount] of Object.entries(requests)) {
    if (standard.has(name) || name.startsWith('hugepages-')) usage[name] = amount;
    usage[`requests.${name}`] = amount;
  }
  for (const [name, amount] of Object.entries(limits)) {
    if (standard.has(name)) usage[`limits.${name}`] = amount;
  }
  return usage;
}

const standard = new Set(['cpu', 'memory', 'ephemeral-storage']);

/** Containers run together; those that only prepare run one after the other, beside the helpers that were started before. */
function podResources(spec: PodSpec, side: Side): Amounts {
  const of = (container: PodSpec['containers'][number]): Amounts => container.resources?.[side] ?? {};
  let helpers: Amounts = {};
  let preparing: Amounts = {};
  for (const container of spec.initContainers ?? []) {
    const isHelper = container.restartPolicy === 'Always';
    if (isHelper) helpers = sum(helpers, of(container));
    preparing = larger(preparing, isHelper ? helpers : sum(of(container), helpers));
  }
  const running = spec.containers.map(of).reduce(sum, {});
  const needed = larger(sum(running, helpers), preparing);
  // What the pod says as a whole stands for all of its containers.
  const total: Amounts = { ...needed, ...spec.resources?.[side] };
  const overhead = spec.overhead ?? {};
  const limited = Object.entries(overhead).filter(([name]) => side === 'requests' || total[name] !== undefined);
  return sum(total, Object.fromEntries(limited));
}

function larger(left: Amounts, right: Amounts): Amounts {
  const result: Record<string, string> = { ...left };
  for (const [name, amount] of Object.entries(right)) {
    if (compareQuantities(amount, result[name] ?? '0') > 0 || result[name] === undefined) result[name] = amount;
  }
  return result;
}

/** A quota of compute asks every container to say how much; the names that are missing, with the containers. */
export function missingCompute(pod: Pod, required: readonly string[]): string | undefined {
  const { spec } = pod;
  if (!spec || Object.keys({ ...spec.resources?.requests, ...spec.resources?.limits }).length > 0) return undefined;
  const containers = [...spec.containers, ...(spec.initContainers ?? [])];
  const missing = required
    .filter((name) => demanded.has(name))
    .sort()
    .flatMap((name) => {
      const silent = containers.filter(
        ({ resources }) => computeUsage(resources?.requests ?? {}, resources?.limits ?? {})[name] === undefined,
      );
      const names = [...new Set(silent.map((container) => container.name))].sort();
      return names.length > 0 ? [`${name} for: ${names.join(',')}`] : [];
    });
  return missing.length > 0 ? `must specify ${missing.join('; ')}` : undefined;
}

const demanded = new Set(['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory']);
