import { ManagedClusterCondition, ManagedClusterReason } from '@flotilla/api-types';
import type { ConditionInput } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';
import { foreignFinalizers } from '../../contract/index.ts';

const type = ManagedClusterCondition.Deleting;
const reasons = ManagedClusterReason.Deleting;

/**
 * What is left of the first kind that has something left, in OCM's words and spelling. When the removal is forced, also which
 * finalizers of others hold it: only whoever set them can take them off.
 */
export const remaining = (plural: string, items: readonly KubeObject[], isForced = false): ConditionInput => {
  const pending = items.filter(({ metadata }) => (metadata?.finalizers?.length ?? 0) > 0).length;
  const foreign = isForced ? [...new Set(items.flatMap(foreignFinalizers))].sort() : [];
  const held = foreign.length > 0 ? `; the finalizers of others are kept: ${foreign.join(', ')}` : '';
  return {
    type,
    status: 'False',
    reason: reasons.ResourceRemaining,
    message: `The resource ${plural} is remaning, the remaining count is ${items.length}, the finalizer pending count is ${pending}${held}`,
  };
};

/** Something could not be listed or deleted. */
export const failed = (error: unknown): ConditionInput => ({
  type,
  status: 'False',
  reason: reasons.DeletingError,
  message: error instanceof Error ? error.message : String(error),
});

/** Nothing is left. */
export const cleaned: ConditionInput = {
  type,
  status: 'True',
  reason: reasons.NoResource,
  message: 'No cleaned resource in cluster ns.',
};
