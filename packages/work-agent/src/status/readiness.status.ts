import { WorkManifestCondition, WorkManifestReason } from '@flotilla/api-types';
import type { ConditionInput } from '@flotilla/kube';
import type { ManifestResult } from './manifest-status.ts';

const { Current, NotApplied, NotFound, Unknown } = WorkManifestReason.ResourceReady;

/** What `ResourceReady` says of one manifest in a generation of its work. */
export function readinessCondition(
  { failure, presence, observation }: Pick<ManifestResult, 'failure' | 'presence' | 'observation'>,
  observedGeneration: number,
): ConditionInput {
  const condition = { type: WorkManifestCondition.ResourceReady, observedGeneration } as const;
  if (failure) return { ...condition, status: 'False', reason: NotApplied, message: 'The manifest is not applied' };
  if (presence.kind === 'missing') {
    return { ...condition, status: 'False', reason: NotFound, message: 'The object does not exist' };
  }
  const { readiness } = observation ?? {};
  if (!readiness) return { ...condition, status: 'Unknown', reason: Unknown, message: 'The object could not be read' };
  const { status: reason, message } = readiness;
  return { ...condition, status: reason === Current ? 'True' : 'False', reason, message };
}
