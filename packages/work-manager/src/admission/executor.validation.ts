import { type ManifestWork, Permission, ServiceAccountName, UserName } from '@flotilla/api-types';
import type { KubeClient } from '@flotilla/kube';
import type { AdmissionRefusal, AdmissionUser } from '@flotilla/kube/admission';
import { reviewAccess } from '@flotilla/kube/kinds';
import { semanticEqual } from '@flotilla/kube/meta';
import type { KubeObject } from '@flotilla/schema';
import { refuse } from './refusal.ts';

/** Below the ten seconds that the API server waits. */
const deadlineMs = 8000;

/** A service account on the managed cluster. */
export interface Executor {
  readonly namespace: string;
  readonly name: string;
}

/** The user who applies a work without an executor, as OCM names it in its access review: without a namespace. */
const defaultExecutor: Executor = { namespace: '', name: ServiceAccountName.DefaultExecutor };

/** An update of metadata alone. */
export const leavesSpec = ({ metadata }: KubeObject, old: KubeObject): boolean =>
  metadata?.generation !== undefined && metadata.generation === old.metadata?.generation;

/** What must be checked about the executor of a work: nothing, or whether the sender is allowed to name this one. */
export type ExecutorQuestion = { readonly refusal: AdmissionRefusal } | { readonly executor: Executor } | undefined;

/** Whether the sender must be checked. An executor that was set before the update is not checked again. */
export function executorQuestion(
  work: ManifestWork,
  old: ManifestWork | undefined,
  checksMissing: boolean,
): ExecutorQuestion {
  const executor = work.spec?.executor;
  if (old && semanticEqual(old.spec?.executor, executor)) return undefined;
  if (!executor) return checksMissing ? { executor: defaultExecutor } : undefined;
  const account = executor.subject?.serviceAccount;
  if (account) return { executor: account };
  const refusal = refuse('executor service account can not be nil', {
    field: 'spec.executor.subject.serviceAccount',
    reason: 'FieldValueRequired',
    error: 'it is not set',
    fix: 'name a service account of the managed cluster by namespace and name, or leave spec.executor out',
  });
  return { refusal };
}

/** The executor as a user, which is what roles name. */
const userOf = ({ namespace, name }: Executor): string =>
  // Only the default has no namespace: for all others nothing that could be read as another account is let through.
  namespace === '' ? `system:serviceaccount::${name}` : UserName.ServiceAccount.of({ namespace, name });

/** Whether a user may let works be applied by this account: in one namespace, or in all of them. */
export async function mayExecuteAs(
  client: Pick<KubeClient, 'resource'>,
  user: AdmissionUser,
  executor: Executor,
  namespace: string | undefined,
): Promise<boolean> {
  const { group, resource, verb } = Permission.ExecuteAs;
  const resourceAttributes = { group, resource, verb, ...(namespace && { namespace }), name: userOf(executor) };
  return (await reviewAccess(client, user, { resourceAttributes }, { deadlineMs })).allowed;
}

/** Says that a user is not allowed to name this executor in a replica set, and how to allow it. */
export function refuseExecutorOfReplicaSet(user: string, executor: Executor): AdmissionRefusal {
  const { group, resource, verb } = Permission.ExecuteAs;
  return refuse(
    `user ${user} cannot manipulate the ManifestWorkReplicaSet with executor ${executor.namespace}/${executor.name} in all namespaces`,
    {
      field: 'spec.manifestWorkTemplate.executor',
      reason: 'FieldValueForbidden',
      error: `${user} has no right to let works of all clusters run as ${userOf(executor)}`,
      fix: `bind a cluster role that has it: kubectl create clusterrole NAME --verb=${verb} --resource=${resource}.${group} --resource-name=${userOf(executor)}`,
    },
  );
}

/** Says that a user is not allowed to name this executor, and how to allow it. */
export function refuseExecutor(user: string, executor: Executor, namespace: string): AdmissionRefusal {
  const { group, resource, verb } = Permission.ExecuteAs;
  return refuse(
    `user ${user} cannot manipulate the Manifestwork with executor ${executor.namespace}/${executor.name} in namespace ${namespace}`,
    {
      field: 'spec.executor',
      reason: 'FieldValueForbidden',
      error: `${user} has no right to let works run as ${userOf(executor)}`,
      fix: `bind a role that has it: kubectl create role NAME -n ${namespace} --verb=${verb} --resource=${resource}.${group} --resource-name=${userOf(executor)}`,
    },
  );
}
