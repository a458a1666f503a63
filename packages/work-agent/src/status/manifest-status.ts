import {
  conditionRuleReasonPrefix,
  type ManifestCondition,
  type ManifestResourceMeta,
  WorkManifestCondition,
  WorkManifestReason,
} from '@flotilla/api-types';
import { type ConditionInput, findCondition } from '@flotilla/kube';
import { removeCondition, setCondition, setConditions } from '@flotilla/kube/conditions';
import { semanticEqual } from '@flotilla/kube/meta';
import type { Condition } from '@flotilla/schema';
import type { ManifestFailure } from '../apply/failure.ts';
import { feedbackCondition } from '../feedback/feedback.status.ts';
import type { Observation } from './observation.ts';
import { readinessCondition } from './readiness.status.ts';

/** A Job that finished and was deleted after its time to live: nothing is missing. */
export interface FinishedPresence {
  readonly kind: 'finished';
  /** Of the manifest that the Job ran by. */
  readonly digest: string;
}

/** Whether the object of a manifest exists, for the work. */
export type Presence =
  | { readonly kind: 'present' }
  | { readonly kind: 'missing' }
  | FinishedPresence
  /** The work has not applied it, whether or not it exists: it was not read. */
  | { readonly kind: 'unapplied'; readonly message: string }
  /** The manifest does not say enough to find it. */
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'unreadable'; readonly message: string };

/** What a sync found out about one manifest. */
export interface ManifestResult {
  readonly meta: ManifestResourceMeta;
  /** Undefined if it is applied. */
  readonly failure?: ManifestFailure;
  readonly presence: Presence;
  /** Absent if the object could not be observed: what was reported about it stays. */
  readonly observation?: Observation;
}

/** When, and for what, a status is written. */
export interface StatusMoment {
  readonly generation: number;
  readonly isFrozen: boolean;
  /** Whether the readiness of the objects is reported. */
  readonly reportsReadiness: boolean;
  readonly now: number;
}

/** Conditions and values of one manifest, on top of what was reported before. */
export function manifestConditions(
  old: ManifestCondition | undefined,
  result: ManifestResult,
  { generation, isFrozen, reportsReadiness, now }: StatusMoment,
): Pick<ManifestCondition, 'conditions' | 'statusFeedback'> {
  let conditions: readonly Condition[] = old?.conditions ?? [];
  if (!isFrozen) conditions = setForGeneration(conditions, bounded(applied(result.failure, generation)), now);
  conditions = setCondition(conditions, bounded(available(result.presence)), now);
  conditions = conditions.filter(({ type, reason }) => !isReadiness(type) || isOfAgent(reason) === reportsReadiness);
  if (reportsReadiness && !isFrozen && !isOfFinishedJob(result)) {
    conditions = setForGeneration(conditions, bounded(readinessCondition(result, generation)), now);
  }

  const { observation } = result;
  if (!observation) return { statusFeedback: old?.statusFeedback ?? {}, conditions: [...conditions] };

  const values = [...observation.values];
  // The time of the condition is when the values last changed.
  const haveChanged = !semanticEqual(values, old?.statusFeedback?.values);
  if (haveChanged) conditions = removeCondition(conditions, WorkManifestCondition.StatusFeedbackSynced);
  const feedback = feedbackCondition(observation.hasFeedbackRules ? observation.errors : undefined);
  const ofRules = rulesFor(observation, generation).filter(({ type }) => !(reportsReadiness && isReadiness(type)));
  conditions = setConditions(conditions, [feedback, ...ofRules].map(bounded), now);
  conditions = conditions.filter((condition) => !isOfGoneRule(condition, generation));
  return { statusFeedback: values.length > 0 ? { values } : {}, conditions: [...conditions] };
}

const isReadiness = (type: string): boolean => type === WorkManifestCondition.ResourceReady;
const readinessReasons: readonly string[] = Object.values(WorkManifestReason.ResourceReady);

/** Whether the agent sets a condition about readiness; where it reports none, a rule may set one of this type. */
const isOfAgent = (reason: string): boolean => readinessReasons.includes(reason);

/** Of a Job that finished before the agent started, only what was reported is known. */
const isOfFinishedJob = ({ presence, observation }: ManifestResult): boolean =>
  presence.kind === 'finished' && observation === undefined;

/** A server may quote a whole object. The schema refuses what is far longer, and with it the status of the whole work. */
const longestMessage = 4096;
/** The end of a message says when it is tried again. */
const keptEnd = 256;

function bounded(condition: ConditionInput): ConditionInput {
  const { message } = condition;
  if (message.length <= longestMessage) return condition;
  return { ...condition, message: `${message.slice(0, longestMessage - keptEnd - 1)}…${message.slice(-keptEnd)}` };
}

const rulesFor = ({ conditions }: Observation, generation: number): ConditionInput[] =>
  conditions.map((condition) => ({ ...condition, observedGeneration: generation }));

/** A condition of a rule for another generation: a rule that still exists has set it for this one. */
const isOfGoneRule = ({ reason, observedGeneration }: Condition, generation: number): boolean =>
  reason.startsWith(conditionRuleReasonPrefix) && (observedGeneration ?? 0) !== generation;

function applied(failure: ManifestFailure | undefined, observedGeneration: number): ConditionInput {
  const type = WorkManifestCondition.Applied;
  const { AppliedManifestComplete, AppliedManifestFailed, AppliedManifestSSAIgnoreFieldError } =
    WorkManifestReason.Applied;
  if (!failure) {
    const message = 'Apply manifest complete';
    return { type, status: 'True', reason: AppliedManifestComplete, message, observedGeneration };
  }
  if (failure.reason === AppliedManifestSSAIgnoreFieldError) {
    const message = `Failed to process ignoreFields: ${failure.message}`;
    return { type, status: 'False', reason: AppliedManifestSSAIgnoreFieldError, message, observedGeneration };
  }
  const message = `Failed to apply manifest: ${failure.message}`;
  return { type, status: 'False', reason: AppliedManifestFailed, message, observedGeneration };
}

/** The message about a Job that finished. A restarted agent recognizes the manifest from it. */
export const finishedMessage = (digest: string): string =>
  `The Job finished and was deleted after its time to live; digest of its manifest: ${digest}`;

function available(presence: Presence): ConditionInput {
  const type = WorkManifestCondition.Available;
  const { ResourceAvailable, ResourceFinished, ResourceNotAvailable, IncompleteResourceMeta, FetchingResourceFailed } =
    WorkManifestReason.Available;
  switch (presence.kind) {
    case 'present':
      return { type, status: 'True', reason: ResourceAvailable, message: 'Resource is available' };
    case 'finished':
      return { type, status: 'True', reason: ResourceFinished, message: finishedMessage(presence.digest) };
    case 'missing':
      return { type, status: 'False', reason: ResourceNotAvailable, message: 'Resource is not available' };
    case 'unapplied': {
      const message = `Resource is not available: ${presence.message}`;
      return { type, status: 'False', reason: ResourceNotAvailable, message };
    }
    case 'incomplete':
      return { type, status: 'Unknown', reason: IncompleteResourceMeta, message: 'Resource meta is incomplete' };
    case 'unreadable':
      return {
        type,
        status: 'Unknown',
        reason: FetchingResourceFailed,
        message: `Failed to fetch resource: ${presence.message}`,
      };
  }
}

/** The list with one condition set: one of another generation does not keep its transition time. */
function setForGeneration(conditions: readonly Condition[], input: ConditionInput, now: number): readonly Condition[] {
  const old = findCondition(conditions, input.type);
  const isOutdated = old !== undefined && (old.observedGeneration ?? 0) !== (input.observedGeneration ?? 0);
  return setCondition(isOutdated ? removeCondition(conditions, input.type) : conditions, input, now);
}
