import { WorkManifestCondition, WorkManifestReason } from '@flotilla/api-types';
import { findCondition } from '@flotilla/kube';
import { isRecord } from '@flotilla/schema';
import { type Manifest, splitApiVersion } from '../manifest.ts';
import { conditionWith, observedObject } from '../readiness/readiness.ts';
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

/** The state of a Job that finished and was deleted before the agent started, as the status of its work has it. */
export function finishedBefore(
  { reported, work }: Pick<WorkSync, 'reported' | 'work'>,
  resolved: ResolvedManifest,
): ObjectState | undefined {
  if (!resolved.isFinishObserved) return undefined;
  const { conditions } = reported.find(resolved.meta) ?? {};
  const applied = findCondition(conditions, WorkManifestCondition.Applied);
  const isSame = applied?.status === 'True' && applied.observedGeneration === work.metadata?.generation;
  const available = findCondition(conditions, WorkManifestCondition.Available);
  if (!isSame || available?.reason !== WorkManifestReason.Available.ResourceFinished) return undefined;
  return stateOf(resolved, {
    outcome: { kind: 'finished' },
    appliedIntent: resolved.intent,
    presence: { kind: 'finished' },
  });
}
