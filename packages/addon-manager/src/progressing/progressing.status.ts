import {
  Annotation,
  kindKeyOf,
  type ManagedClusterAddOn,
  ManagedClusterAddOnCondition,
  ManagedClusterAddOnReason,
  type ManagedClusterAddOnStatus,
  type ManifestWork,
} from '@flotilla/api-types';
import { type ConditionInput, findCondition } from '@flotilla/kube';
import type { EpochMs } from '@flotilla/kube/clock';
import { setCondition } from '@flotilla/kube/conditions';
import { formatTime, semanticEqual } from '@flotilla/kube/meta';
import type { Condition } from '@flotilla/schema';
import { configMismatch, notReady } from './work-progress.policy.ts';

const type = ManagedClusterAddOnCondition.Progressing;
const reasons = ManagedClusterAddOnReason.Progressing;

/** What the progress of an add-on on a cluster is decided from. */
export interface ProgressInput {
  readonly addOn: ManagedClusterAddOn;
  /** The cluster on which its agent runs, if it is another one. */
  readonly hostingCluster: string | undefined;
  /** All works that deploy it, wherever. */
  readonly works: readonly ManifestWork[];
}

/** The cluster on which the agent of an add-on runs, if it is another one. */
export const hostingClusterOf = ({ metadata }: ManagedClusterAddOn): string | undefined =>
  metadata?.annotations?.[Annotation.HostingClusterName] || undefined;

const stopped = (reason: string, message: string): ConditionInput => ({ type, status: 'False', reason, message });

/** OCM's words, and then what is waited for: a user who sees it for long must know whom to ask. */
const progressing = (message: string, why?: string): ConditionInput => ({
  type,
  status: 'True',
  reason: reasons.Progressing,
  message: `progressing... ${message}${why === undefined ? '' : `: ${why}`}`,
});

const first = (works: readonly ManifestWork[], why: (work: ManifestWork) => string | undefined): string | undefined => {
  for (const work of works) {
    const found = why(work);
    if (found !== undefined) return found;
  }
  return undefined;
};

/** Whether the newest configurations have arrived on the cluster, and what is waited for if not. */
export function progressingCondition({ addOn, hostingCluster, works }: ProgressInput): ConditionInput {
  const { spec, status } = addOn;
  const supported = new Set((status?.supportedConfigs ?? []).map(kindKeyOf));
  const unsupported = (spec?.configs ?? []).find((config) => !supported.has(kindKeyOf(config)));
  if (unsupported) {
    const message = `Configuration with gvr ${kindKeyOf(unsupported)} is not supported for this addon`;
    return stopped(reasons.ConfigurationUnsupported, message);
  }
  const { ManifestApplied, HostingManifestApplied } = ManagedClusterAddOnCondition;
  if (!findCondition(status?.conditions, ManifestApplied)) {
    const message = 'Waiting for ManagedClusterAddOn ManifestApplied condition';
    return stopped(reasons.WaitingForManifestApplied, message);
  }
  if (hostingCluster !== undefined && !findCondition(status?.conditions, HostingManifestApplied)) {
    const message = 'Waiting for ManagedClusterAddOn HostingManifestApplied condition';
    return stopped(reasons.WaitingForHostingManifestApplied, message);
  }
  if (works.length === 0) return progressing('no addon works');
  const mismatch = first(works, (work) => configMismatch(work, addOn));
  if (mismatch !== undefined) return progressing('mca and work configs mismatch', mismatch);
  const unready = first(works, notReady);
  if (unready !== undefined) return progressing('work is not ready', unready);
  return stopped(reasons.Completed, 'completed with no errors.');
}

/** States on the way to the end, in the order in which an add-on passes through them. */
const interim: ReadonlySet<string> = new Set([
  reasons.Progressing,
  reasons.WaitingForManifestApplied,
  reasons.WaitingForHostingManifestApplied,
]);

/** Whether an add-on that is on its way has come no further than to another state on that way. */
export function isInterim(input: ProgressInput): boolean {
  const before = findCondition(input.addOn.status?.conditions, type);
  if (!before || !interim.has(before.reason)) return false;
  const { reason, message } = progressingCondition(input);
  return interim.has(reason) && (reason !== before.reason || message !== before.message);
}

/** Conditions of an add-on whose progress is of now: soak times and deadlines count from there. */
export const progressingSince = (conditions: readonly Condition[], now: EpochMs): Condition[] =>
  conditions.map((each) => (each.type === type ? { ...each, lastTransitionTime: formatTime(now) } : each));

/** The status with the progress in it; undefined if it says so already. */
export function progressingStatus(input: ProgressInput, now: EpochMs): Partial<ManagedClusterAddOnStatus> | undefined {
  const { status } = input.addOn;
  const condition = progressingCondition(input);
  const before = status?.conditions ?? [];
  let conditions = setCondition(before, condition, now);
  const references = status?.configReferences ?? [];
  const applied =
    condition.reason === reasons.Completed
      ? references.map((reference) => ({
          ...reference,
          ...(reference.desiredConfig && { lastAppliedConfig: reference.desiredConfig }),
        }))
      : references;
  const hasNewConfigs = !semanticEqual(applied, references);
  // Configurations that arrived between two reconciles have arrived now: soak times count from here.
  if (hasNewConfigs) conditions = progressingSince(conditions, now);
  if (!hasNewConfigs && conditions === before) return undefined;
  return { conditions: [...conditions], ...(hasNewConfigs && { configReferences: applied }) };
}
