import type { RolloutStrategy } from '@flotilla/api-types';
import type { EpochMs } from '@flotilla/kube/clock';
import type { ClusterRolloutStatus, ProgressLimits } from './cluster-status.ts';
import { type ClusterGroup, clustersIn, type GroupSelector, groupsAmong, groupsBesides } from './decision-tracker.ts';
import { deadlineMs, goDurationMs, thresholdOf } from './limits.ts';
import { type Step, stepPerCluster, stepPerGroup } from './progress.ts';

/** What a step of a rollout is decided from. */
export interface RolloutInput {
  readonly strategy: RolloutStrategy;
  /** The decision groups of the placement, in order. */
  readonly groups: readonly ClusterGroup[];
  /** False while clusters may be in the wrong group: then no cluster begins, unless all may begin at once. Default: true. */
  readonly areGroupsComplete?: boolean;
  /** How far the change is on clusters that were part of the rollout before. */
  readonly existing: readonly ClusterRolloutStatus[];
  readonly now: EpochMs;
}

/** The next step of a rollout. */
export interface RolloutPlan extends Step {
  /** Clusters with a status that the placement does not select any more. */
  readonly removed: readonly ClusterRolloutStatus[];
  /** After so long time alone changes the plan; unset if it never does. */
  readonly recheckAfterMs?: number;
}

const inWords = (what: string, read: () => number): number => {
  try {
    return read();
  } catch (error) {
    throw new Error(`failed to parse the provided ${what}: ${error instanceof Error ? error.message : error}`);
  }
};

function all({ strategy, groups, existing, now }: RolloutInput): Step {
  const count = clustersIn(groups).size;
  const limits = { soakMs: 0, deadlineMs: deadlineMs(strategy.all?.progressDeadline), now };
  return stepPerCluster(groups, existing, { ...limits, size: count, maxFailures: count });
}

/** Mandatory groups come first and tolerate no failure. Undefined once they are done. */
function mandatory(
  { groups, existing }: RolloutInput,
  selectors: readonly GroupSelector[],
  limits: ProgressLimits,
): Step | undefined {
  const meant = groupsAmong(groups, selectors);
  if (meant.length === 0) return undefined;
  const step = stepPerGroup(meant, existing, { ...limits, maxFailures: 0 });
  return step.rollout.length > 0 || step.timedOut.length > 0 ? step : undefined;
}

/** How long a cluster must stay successful before others follow. Throws if it is no duration. */
export function soakMsOf({ type, progressive, progressivePerGroup }: RolloutStrategy): number {
  const settings = type === 'Progressive' ? progressive : progressivePerGroup;
  return type === 'All' ? 0 : goDurationMs(settings?.minSuccessTime ?? '0');
}

const limitsOf = (
  { minSuccessTime = '0', progressDeadline }: { readonly minSuccessTime?: string; readonly progressDeadline?: string },
  now: EpochMs,
): ProgressLimits => ({ soakMs: goDurationMs(minSuccessTime), deadlineMs: deadlineMs(progressDeadline), now });

function progressive(input: RolloutInput): Step {
  const { strategy, groups, existing, now } = input;
  const { maxFailures: most, maxConcurrency, mandatoryDecisionGroups = [], ...settings } = strategy.progressive ?? {};
  const limits = limitsOf(settings, now);
  const maxFailures = inWords('maxFailures', () => thresholdOf(most, clustersIn(groups).size, 0));
  const first = mandatory(input, mandatoryDecisionGroups, limits);
  if (first) return first;
  const rest = groupsBesides(groups, mandatoryDecisionGroups);
  const count = clustersIn(rest).size;
  const size = inWords('maxConcurrency', () => thresholdOf(maxConcurrency, count, count));
  return stepPerCluster(rest, existing, { ...limits, size, maxFailures });
}

function progressivePerGroup(input: RolloutInput): Step {
  const { strategy, groups, existing, now } = input;
  const { maxFailures, mandatoryDecisionGroups = [], ...settings } = strategy.progressivePerGroup ?? {};
  const limits = limitsOf(settings, now);
  inWords('maxFailures', () => thresholdOf(maxFailures, clustersIn(groups).size, 0));
  const first = mandatory(input, mandatoryDecisionGroups, limits);
  if (first) return first;
  return stepPerGroup(groupsBesides(groups, mandatoryDecisionGroups), existing, { ...limits, maxFailures });
}

function stepOf(input: RolloutInput): Step {
  const type: string | undefined = input.strategy.type;
  if (type === 'All') return all(input);
  if (type === 'Progressive') return progressive(input);
  if (type === 'ProgressivePerGroup') return progressivePerGroup(input);
  throw new Error(`incorrect rollout strategy type ${type ?? ''}`);
}

/** A step in which no cluster begins while groups are written; those that began go on. */
function waitForGroups({ strategy, areGroupsComplete = true }: RolloutInput, step: Step): Step {
  if (areGroupsComplete || strategy.type === 'All') return step;
  return { ...step, rollout: step.rollout.filter(({ status }) => status !== 'ToApply') };
}

/** Decides the next step of a rollout. Throws if the strategy cannot be understood; the message names the field. */
export function planRollout(input: RolloutInput): RolloutPlan {
  const selected = clustersIn(input.groups);
  const removed = input.existing.filter(({ clusterName }) => !selected.has(clusterName));
  const existing = input.existing.filter(({ clusterName }) => selected.has(clusterName));
  const step = waitForGroups(input, stepOf({ ...input, existing }));
  const waits = step.rollout.map(({ recheckTime = 0 }) => recheckTime - input.now).filter((ms) => ms > 0);
  return { ...step, removed, ...(waits.length > 0 && { recheckAfterMs: Math.min(...waits) }) };
}
