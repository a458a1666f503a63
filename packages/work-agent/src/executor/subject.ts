import type { ManifestWorkExecutor } from '@flotilla/api-types';
import { joinKey } from '@flotilla/kube';

/** The identity whose rights gate what a work applies, as the API server knows it. */
export interface ExecutorSubject {
  /** `namespace/name` of the service account. */
  readonly key: string;
  readonly user: string;
  readonly groups: readonly string[];
}

/** Who the executor of a work is. Throws if it is not a service account. */
export function subjectOf(executor: ManifestWorkExecutor): ExecutorSubject {
  if (executor.subject?.type !== 'ServiceAccount') throw new Error('only support ServiceAccount type for the executor');
  const account = executor.subject.serviceAccount;
  if (!account) throw new Error('the executor service account is nil');
  const { namespace, name } = account;
  return {
    key: joinKey(namespace, name),
    user: `system:serviceaccount:${namespace}:${name}`,
    groups: ['system:serviceaccounts', 'system:authenticated', `system:serviceaccounts:${namespace}`],
  };
}

/** The key of the service account that executes a work, as `changes$` of an executor emits it. Undefined if there is none. */
export function executorKeyOf(executor: ManifestWorkExecutor | undefined): string | undefined {
  const account = executor?.subject?.serviceAccount;
  return account && joinKey(account.namespace, account.name);
}
