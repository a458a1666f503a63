import { ApiGroup, Permission } from '@flotilla/api-types';
import { boundPolicy } from '@flotilla/kube/admission';
import type { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from '@flotilla/kube/kinds';

const { group, resource, verb } = Permission.ExecuteAs;

/** A kind whose objects name an executor. */
interface ExecutorPolicy {
  readonly name: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  /** The fields that lead to the executor. */
  readonly path: readonly string[];
  /** The call that names where the right is asked for, and the same in the message; empty for all namespaces. */
  readonly namespace: { readonly call: string; readonly words: string };
}

const works: ExecutorPolicy = {
  name: 'manifestworks.policy.work.open-cluster-management.io',
  version: 'v1',
  resource: 'manifestworks',
  kind: 'Manifestwork',
  path: ['spec', 'executor'],
  namespace: { call: '.namespace(request.namespace)', words: "' in namespace ' + request.namespace" },
};

/** Its works are in the namespaces of clusters that a placement selects later, and the controller that makes them may name any executor. */
const replicaSets: ExecutorPolicy = {
  name: 'manifestworkreplicasets.policy.work.open-cluster-management.io',
  version: 'v1alpha1',
  resource: 'manifestworkreplicasets',
  kind: 'ManifestWorkReplicaSet',
  path: ['spec', 'manifestWorkTemplate', 'executor'],
  namespace: { call: '', words: "' in all namespaces'" },
};

/** That all fields on the way are set. */
const hasPath = (object: string, path: readonly string[]): string =>
  path.map((_, index) => `has(${[object, ...path.slice(0, index + 1)].join('.')})`).join(' && ');

function executorPolicy({ name, version, resource: kinds, kind, path, namespace }: ExecutorPolicy) {
  const executor = ['object', ...path].join('.');
  const account = (field: string) => `variables.complete ? ${executor}.subject.serviceAccount.${field} : ''`;
  return boundPolicy({
    name,
    group: ApiGroup.Work,
    version,
    resource: kinds,
    variables: [
      { name: 'named', expression: hasPath('object', path) },
      {
        // An executor that was set before the update is not checked again.
        name: 'changed',
        expression:
          `variables.named && (request.operation == 'CREATE' || !(${hasPath('oldObject', path)}) || ` +
          `${executor} != ${['oldObject', ...path].join('.')})`,
      },
      {
        name: 'complete',
        expression: `variables.named && has(${executor}.subject) && has(${executor}.subject.serviceAccount)`,
      },
      { name: 'account', expression: account('name') },
      { name: 'accountNamespace', expression: account('namespace') },
    ],
    validations: [
      {
        expression: '!variables.changed || variables.complete',
        message: 'executor service account can not be nil',
      },
      {
        expression:
          '!variables.changed || !variables.complete || ' +
          `authorizer.group('${group}').resource('${resource}')${namespace.call}` +
          `.name('system:serviceaccount:' + variables.accountNamespace + ':' + variables.account).check('${verb}').allowed()`,
        reason: 'Forbidden',
        messageExpression: `'user ' + request.userInfo.username + ' cannot manipulate the ${kind} with executor ' + variables.accountNamespace + '/' + variables.account + ${namespace.words}`,
      },
    ],
  });
}

/**
 * What the webhooks guard of executors, as policies that the API server evaluates by itself: for a hub without a webhook server. What
 * is in the manifests is not checked: the agent reports what it cannot apply. That of works comes last: who installs a hub waits for it.
 */
export const workPolicies = (): (ValidatingAdmissionPolicy | ValidatingAdmissionPolicyBinding)[] =>
  [replicaSets, works].flatMap(executorPolicy);
