import { WorkManifestCondition, WorkManifestReason } from '@flotilla/api-types';
import { findCondition } from '@flotilla/kube';
import { type Condition, isRecord } from '@flotilla/schema';
import { type Manifest, splitApiVersion } from '../manifest.ts';
import { conditionWith, observedObject } from '../readiness/readiness.ts';
import { type FinishedPresence, finishedMessage } from '../status/manifest-status.ts';
import { digestOf } from './intent.ts';
import { type ObjectState, stateOf } from './object-state.ts';
import type { ResolvedManifest } from './resolve-manifest.ts';
import type { WorkSync } from './sync.ts';

/** Whether a manifest is a Job that its cluster deletes when it has finished. */
export const isDeletedWhenFinished = ({ apiVersion, kind, spec }: Manifest): boolean =>
  kind === 'Job' &&
  splitApiVersion(apiVersion).group === 'batch' &&
  isRecord(spec) &&
  typeof spec.ttlSecondsAfterFinished === 'number';

/** Whether a Job has come to its end, well or not. */
export function isFinishedJob(object: Manifest): boolean {
  const observed = observedObject(object);
  return [conditionWith(observed, 'Complete', 'True'), conditionWith(observed, 'Failed', 'True')].some(Boolean);
}

/** That a Job ran to its end, and by which manifest: another one runs again. */
export const finishedPresence = ({ intent }: Pick<ResolvedManifest, 'intent'>): FinishedPresence => ({
  kind: 'finished',
  digest: digestOf(intent),
});

/** The state of a Job that finished and was deleted before the agent started, as the status of its work has it. */
export function finishedBefore(
  { reported, work }: Pick<WorkSync, 'reported' | 'work'>,
  resolved: ResolvedManifest,
): ObjectState | undefined {
  if (!resolved.isFinishObserved) return undefined;
  const { conditions } = reported.find(resolved.meta) ?? {};
  const available = findCondition(conditions, WorkManifestCondition.Available);
  if (available?.reason !== WorkManifestReason.Available.ResourceFinished) return undefined;
  const presence = finishedPresence(resolved);
  const isOfManifest = available.message === finishedMessage(presence.digest);
  if (!isOfManifest && !isEarlierRecord(available, conditions, work.metadata?.generation)) return undefined;
  return stateOf(resolved, { outcome: { kind: 'finished' }, appliedIntent: resolved.intent, presence });
}

const messageWithoutDigest = 'The Job finished and was deleted after its time to live';

/**
 * Whether an earlier agent reported the Job for this generation of the work. Its message has no digest, and the generation changes
 * with each manifest of the work: the next report writes the digest.
 */
function isEarlierRecord(
  available: Condition,
  conditions: readonly Condition[] | undefined,
  generation: number | undefined,
): boolean {
  const applied = findCondition(conditions, WorkManifestCondition.Applied);
  const isApplied = applied?.status === 'True' && applied.observedGeneration === generation;
  return available.message === messageWithoutDigest && isApplied;
}
