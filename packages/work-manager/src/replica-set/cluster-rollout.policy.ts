import { ManifestWorkCondition, WorkManifestCondition } from '@flotilla/api-types';
import { findCondition, isDeleting } from '@flotilla/kube';
import { type WallTime, wallTime } from '@flotilla/kube/clock';
import { parseTime } from '@flotilla/kube/meta';
import type { RolloutStatus } from '@flotilla/placement/rollout';
import type { Condition } from '@flotilla/schema';
import type { GeneratedWork } from './generated-work.ts';
import { type Readiness, readinessOf } from './readiness.policy.ts';
import type { Template } from './template.ts';

/** How far the template is on one cluster, since when, and why it is not further. */
export interface ClusterRollout {
  readonly status: RolloutStatus;
  readonly lastTransitionTime?: WallTime;
  readonly why?: string;
}

const toApply: ClusterRollout = { status: 'ToApply' };

const newest = (...times: readonly (WallTime | undefined)[]): WallTime =>
  wallTime(Math.max(0, ...times.map((time) => time ?? 0)));

const timeOf = (condition: Condition | undefined): WallTime | undefined => parseTime(condition?.lastTransitionTime);

/** How far a work that carries the template is. */
export const clusterRolloutOf = (work: GeneratedWork, template: Template): ClusterRollout =>
  isDeleting(work) ? { ...toApply, why: 'its earlier work is being deleted' } : templateRolloutOf(work, template);

/** How far the template of a work is, also if the work is being deleted. */
export function templateRolloutOf(work: GeneratedWork, template: Template): ClusterRollout {
  const conditions = work.status?.conditions;
  const generation = work.metadata?.generation;
  const isCurrent = (condition: Condition | undefined): condition is Condition =>
    condition !== undefined && condition.observedGeneration === generation;
  const progressing = findCondition(conditions, ManifestWorkCondition.Progressing);
  if (!progressing && !template.hasProgressingRule) return inferredRollout(work, template, isCurrent);

  // As in OCM: rules of the template say how far it is.
  const applied = findCondition(conditions, ManifestWorkCondition.Applied);
  const degraded = findCondition(conditions, ManifestWorkCondition.Degraded);
  if (!isCurrent(applied) || applied.status !== 'True') return { ...toApply, why: notApplied(work, applied) };
  if (!isCurrent(progressing)) return toApply;
  if (degraded && !isCurrent(degraded)) return toApply;
  if (progressing.status === 'True' && degraded?.status === 'True') {
    return { status: 'Failed', lastTransitionTime: timeOf(degraded), why: `Degraded: ${ruleMessage(work, degraded)}` };
  }
  const lastTransitionTime = timeOf(progressing);
  if (progressing.status === 'False') return { status: 'Succeeded', lastTransitionTime };
  return { status: 'Progressing', lastTransitionTime, why: `Progressing: ${ruleMessage(work, progressing)}` };
}

/**
 * How far a work is whose template has no rule that says so, by what its agent reports of any work. Times count from the moment
 * that the template was written: conditions of a work keep theirs when the next template is applied as well as the last.
 */
function inferredRollout(
  work: GeneratedWork,
  template: Template,
  isCurrent: (condition: Condition | undefined) => condition is Condition,
): ClusterRollout {
  const conditions = work.status?.conditions;
  const find = (type: string): Condition | undefined => {
    const condition = findCondition(conditions, type);
    return isCurrent(condition) ? condition : undefined;
  };
  const since = (condition?: Condition): WallTime => newest(timeOf(condition), work.specTime);
  const waiting = (why: string, condition?: Condition): ClusterRollout => ({
    status: 'Progressing',
    lastTransitionTime: since(condition),
    why,
  });
  const failed = (why: string, condition: Condition): ClusterRollout => ({
    status: 'Failed',
    lastTransitionTime: since(condition),
    why,
  });

  const applied = find(ManifestWorkCondition.Applied);
  if (!applied) return waiting('its agent has not reported the newest work');
  if (applied.status === 'False') return failed(notApplied(work, applied), applied);
  const degraded = find(ManifestWorkCondition.Degraded);
  if (degraded?.status === 'True') return failed(`Degraded: ${ruleMessage(work, degraded)}`, degraded);
  const available = find(ManifestWorkCondition.Available);
  if (applied.status !== 'True' || available?.status !== 'True') {
    return waiting(manifestMessage(work, WorkManifestCondition.Available) ?? 'it is not available', available);
  }
  const { readiness, readyTime } = worstReadiness(work, template);
  if (readiness.kind === 'failed') return failed(readiness.why, available);
  if (readiness.kind === 'waiting') return waiting(readiness.why, available);
  return { status: 'Succeeded', lastTransitionTime: newest(since(available), timeOf(applied), readyTime) };
}

/** Times of a manifest move when it is applied anew, and when a reported value changes. */
function worstReadiness(work: GeneratedWork, template: Template): { readiness: Readiness; readyTime: WallTime } {
  let readyTime = wallTime(0);
  let worst: Readiness = { kind: 'ready' };
  for (const manifest of work.status?.resourceStatus?.manifests ?? []) {
    readyTime = newest(readyTime, ...manifest.conditions.map(timeOf));
    const readiness = readinessOf(
      manifest,
      template.manifests[manifest.resourceMeta.ordinal],
      work.metadata?.generation,
    );
    if (readiness.kind === 'failed') return { readiness, readyTime };
    if (worst.kind === 'ready') worst = readiness;
  }
  return { readiness: worst, readyTime };
}

/** What the first manifest says for which a condition is not true. */
function manifestMessage(work: GeneratedWork, type: string): string | undefined {
  for (const { resourceMeta, conditions } of work.status?.resourceStatus?.manifests ?? []) {
    const condition = findCondition(conditions, type);
    if (!condition || condition.status === 'True') continue;
    const { kind = 'manifest', namespace, name } = resourceMeta;
    return `${kind} ${namespace ? `${namespace}/` : ''}${name}: ${condition.message}`;
  }
  return undefined;
}

function notApplied(work: GeneratedWork, applied: Condition | undefined): string {
  if (!applied || applied.status === 'True') return 'its agent has not reported the newest work';
  return manifestMessage(work, WorkManifestCondition.Applied) ?? applied.message;
}

/** What the rule says of the first manifest that has the condition; of the work, if no manifest says anything. */
function ruleMessage(work: GeneratedWork, condition: Condition): string {
  for (const { conditions } of work.status?.resourceStatus?.manifests ?? []) {
    const own = findCondition(conditions, condition.type);
    if (own?.status === condition.status && own.message !== '') return own.message;
  }
  return condition.message || condition.reason;
}
