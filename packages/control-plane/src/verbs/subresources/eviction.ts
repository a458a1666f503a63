import { keyOf } from '@flotilla/kube';
import { formatTime, type LabelSelector, matchesLabels } from '@flotilla/kube/meta';
import type { KubeObject } from '@flotilla/schema';
import { isRecord } from '@flotilla/schema';
import type { Backend } from '../../contracts/backend.ts';
import type { Call, Outcome } from '../../contracts/call.ts';
import type { VerbHandler } from '../../contracts/handlers.ts';
import { badRequest, forbidden, internal, tooManyRequests } from '../../errors/api-errors.ts';
import { admissionRequest } from '../admit.ts';
import { decodeObject } from '../body.ts';
import { deleteObject } from '../delete.ts';
import { deleteOptions } from '../delete-options.ts';
import { load } from '../get.ts';
import type { AnyObject } from '../prepare.ts';
import { writeOptions } from '../write-options.ts';
import { withoutAdmission } from './no-admission.ts';

interface DisruptionBudget extends KubeObject {
  spec?: { selector?: LabelSelector; unhealthyPodEvictionPolicy?: string };
  status?: {
    observedGeneration?: number;
    disruptionsAllowed?: number;
    currentHealthy?: number;
    desiredHealthy?: number;
    disruptedPods?: Record<string, string>;
  };
}

interface PodStatus {
  phase?: string;
  conditions?: { type: string; status: string }[];
}

const budgets = 'policy/poddisruptionbudgets';

/** `pods/eviction`: a deletion that asks the disruption budgets first. */
export const evictionVerbs: VerbHandler = (backend, verb, call) =>
  call.info.storage === '/pods' && call.subresource === 'eviction' && verb === 'create'
    ? evict(backend, call)
    : undefined;

async function evict(backend: Backend, call: Call): Promise<Outcome> {
  const eviction: KubeObject & { deleteOptions?: unknown } = decodeObject(call, {
    group: 'policy',
    version: 'v1',
    kind: 'Eviction',
  });
  if ((eviction.metadata?.name ?? call.name) !== call.name) {
    throw badRequest('name in URL does not match name in Eviction object');
  }
  const wanted = isRecord(eviction.deleteOptions) ? eviction.deleteOptions : {};
  const asDeletion: Call = { ...call, headers: {}, body: Buffer.from(JSON.stringify(wanted)) };
  const given = deleteOptions(asDeletion);
  const options = { ...given, dryRun: given.dryRun || writeOptions(call, 'create').dryRun };
  const pod = load(backend, call);
  const request = { dryRun: options.dryRun, optionsObject: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' } };
  const asked = admissionRequest(call, 'CREATE', { object: eviction }, request);
  await backend.admission.mutate(asked, call.warn);
  await backend.admission.validate(asked, call.warn);
  const budget = guards(pod) ? budgetOf(backend, pod) : undefined;
  if (budget) spend(backend, call, pod, budget, options.dryRun);
  if (!options.dryRun) backend.storage.put('/pods', keyOf(pod), withTarget(load(backend, call), backend.clock.now()));
  const { subresource: _, ...main } = asDeletion;
  await deleteObject(withoutAdmission(backend), main, options);
  return { kind: 'object', status: 201, object: { ...success } };
}

const success = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };

/** Watchers of the pod observe that it was evicted. */
function withTarget(pod: AnyObject, now: number): AnyObject {
  const status = statusOf(pod);
  const target = {
    type: 'DisruptionTarget',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: formatTime(now),
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  };
  const others = (status.conditions ?? []).filter(({ type }) => type !== target.type);
  return { ...pod, status: { ...status, conditions: [...others, target] } };
}

const statusOf = (pod: AnyObject): PodStatus => (pod.status ?? {}) as PodStatus;

/** A pod that does not run, or is being deleted, is evicted without a budget. */
const guards = (pod: AnyObject): boolean =>
  pod.metadata?.deletionTimestamp === undefined &&
  !['Succeeded', 'Failed', 'Pending'].includes(statusOf(pod).phase ?? '');

function budgetOf({ storage }: Backend, pod: AnyObject): DisruptionBudget | undefined {
  const all: readonly DisruptionBudget[] = storage.list(budgets, pod.metadata?.namespace);
  const [budget, second] = all.filter(({ spec }) => matchesLabels(spec?.selector, pod.metadata?.labels));
  if (!second) return budget;
  throw internal('This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.');
}

const isReady = (pod: AnyObject): boolean =>
  statusOf(pod).conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;

/** Takes one disruption from the budget, or refuses for now. */
function spend(backend: Backend, call: Call, pod: AnyObject, budget: DisruptionBudget, dryRun: boolean): void {
  const {
    observedGeneration = 0,
    disruptionsAllowed = 0,
    currentHealthy = 0,
    desiredHealthy = 0,
  } = budget.status ?? {};
  const name = budget.metadata?.name ?? '';
  if (!isReady(pod)) {
    if (budget.spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return;
    if (currentHealthy >= desiredHealthy && desiredHealthy > 0) return;
  }
  const refuse = (message: string, retryAfterSeconds: number) =>
    tooManyRequests(
      "Cannot evict pod as it would violate the pod's disruption budget.",
      [{ reason: 'DisruptionBudget', message }],
      retryAfterSeconds,
    );
  if (observedGeneration < (budget.metadata?.generation ?? 0)) {
    throw refuse(`The disruption budget ${name} is still being processed by the server.`, 10);
  }
  if (disruptionsAllowed < 0) {
    throw forbidden({ group: 'policy', plural: 'poddisruptionbudgets' }, name, 'pdb disruptions allowed is negative');
  }
  if (disruptionsAllowed === 0) {
    throw refuse(
      `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`,
      0,
    );
  }
  if (dryRun) return;
  const status = {
    ...budget.status,
    disruptionsAllowed: disruptionsAllowed - 1,
    disruptedPods: { ...budget.status?.disruptedPods, [call.name ?? '']: formatTime(backend.clock.now()) },
  };
  const spent: DisruptionBudget = { ...budget, status };
  backend.storage.put(budgets, keyOf(budget), spent);
}
