import { WorkManifestCondition, WorkManifestReason } from '@flotilla/api-types';
import type { ConditionInput } from '@flotilla/kube';

const reasons = WorkManifestReason.StatusFeedbackSynced;

/** What `StatusFeedbackSynced` says. `errors` is undefined when the manifest has no feedback rules. */
export function feedbackCondition(errors: readonly string[] | undefined): ConditionInput {
  const type = WorkManifestCondition.StatusFeedbackSynced;
  if (errors === undefined) return { type, status: 'True', reason: reasons.NoStatusFeedbackSynced, message: '' };
  if (errors.length === 0) return { type, status: 'True', reason: reasons.StatusFeedbackSynced, message: '' };
  return {
    type,
    status: 'False',
    reason: reasons.StatusFeedbackSyncFailed,
    message: `Sync status feedback failed with error ${aggregate(errors)}`,
  };
}

/** Several errors as Go prints them: each only once, in brackets if there are more than one. */
function aggregate(errors: readonly string[]): string {
  const different = [...new Set(errors)];
  return different.length === 1 ? (different[0] ?? '') : `[${different.join(', ')}]`;
}
