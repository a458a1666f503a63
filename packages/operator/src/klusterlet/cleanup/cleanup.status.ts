import { KlusterletCondition, KlusterletReason, SecretName } from '@flotilla/api-types';
import { type ConditionInput, KubeError } from '@flotilla/kube';
import { formatTime } from '@flotilla/kube/meta';

const notReady = (message: string): ConditionInput => ({
  type: KlusterletCondition.ReadyToApply,
  status: 'False',
  reason: KlusterletReason.ReadyToApply.KlusterletPrepareFailed,
  message,
});

/** What the removal of a hosted klusterlet waits for. */
export const waitsFor = {
  /** The way to the managed cluster is gone, and objects are left there. */
  kubeconfig: (name: string): ConditionInput =>
    notReady(
      `The removal waits for Secret ${name}/${SecretName.ExternalManagedKubeconfig}: without it the managed cluster cannot be cleaned up. Create it again, or remove the finalizers to leave the objects there.`,
    ),
  /** The managed cluster does not answer. */
  managedCluster: (error: unknown, until: number): ConditionInput =>
    notReady(
      `The managed cluster cannot be reached: ${KubeError.from(error).message}. At ${formatTime(until)} the klusterlet is removed and leaves its objects there.`,
    ),
};
