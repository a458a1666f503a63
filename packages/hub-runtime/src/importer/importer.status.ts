import { ManagedClusterCondition, ManagedClusterReason } from '@flotilla/api-types';
import { type ConditionInput, KubeError } from '@flotilla/kube';

const type = ManagedClusterCondition.ImportSucceeded;
const reasons = ManagedClusterReason.ImportSucceeded;

/** The klusterlet is installed. */
export const imported: ConditionInput = { type, status: 'True', reason: reasons.ImportSucceed, message: '' };

/** There is no way to the cluster yet. */
export const noKubeconfig: ConditionInput = {
  type,
  status: 'False',
  reason: reasons.KubeConfigNotFound,
  message: 'Secret for kubeconfig is not found.',
};

const texts = {
  [reasons.KubeConfigGetFailed]: 'failed to get kubeconfig. See errors:',
  [reasons.ConfigRendererFailed]: 'failed to render config. See errors:',
  [reasons.ImportFailed]: 'failed to import the klusterlet. See errors:',
} as const;

/** A step failed; the words are OCM's, the error says what to do. */
export const importFailed = (reason: keyof typeof texts, error: unknown): ConditionInput => {
  const { message, hint } = KubeError.from(error);
  return { type, status: 'False', reason, message: `${texts[reason]}\n${message}. ${hint}` };
};
