import { type KubeObject, ManagedClusterCondition, ManagedClusterReason } from '@flotilla/api-types';
import type { ConditionInput } from '@flotilla/kube';

const type = ManagedClusterCondition.Deleting;
const reasons = ManagedClusterReason.Deleting;

/** What is left of the first kind that has something left. The spelling is OCM's. */
export const remaining = (plural: string, items: readonly KubeObject[]): ConditionInput => {
  const pending = items.filter(({ metadata }) => (metadata?.finalizers?.length ?? 0) > 0).length;
  return {
    type,
    status: 'False',
    reason: reasons.ResourceRemaining,
    message: `The resource ${plural} is remaning, the remaining count is ${items.length}, the finalizer pending count is ${pending}`,
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
