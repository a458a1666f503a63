import { ApiGroup, Permission } from '@flotilla/api-types';
import { boundPolicy } from '@flotilla/kube/admission';
import type { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from '@flotilla/kube/kinds';

const { group, resource, verb } = Permission.ExecuteAs;

const accountField = (name: string): string =>
  `variables.complete ? object.spec.executor.subject.serviceAccount.${name} : ''`;

/**
 * What the webhook guards of executors, as a policy that the API server evaluates by itself: for a hub without a webhook server. What
 * is in the manifests is not checked: the agent reports what it cannot apply.
 */
export const workPolicies = (): (ValidatingAdmissionPolicy | ValidatingAdmissionPolicyBinding)[] =>
  boundPolicy({
    name: 'manifestworks.policy.work.open-cluster-management.io',
    group: ApiGroup.Work,
    version: 'v1',
    resource: 'manifestworks',
    variables: [
      { name: 'named', expression: 'has(object.spec) && has(object.spec.executor)' },
      {
        // An executor that was set before the update is not checked again.
        name: 'changed',
        expression:
          "variables.named && (request.operation == 'CREATE' || !has(oldObject.spec) || !has(oldObject.spec.executor) || " +
          'object.spec.executor != oldObject.spec.executor)',
      },
      {
        name: 'complete',
        expression:
          'variables.named && has(object.spec.executor.subject) && has(object.spec.executor.subject.serviceAccount)',
      },
      { name: 'account', expression: accountField('name') },
      { name: 'accountNamespace', expression: accountField('namespace') },
    ],
    validations: [
      {
        expression: '!variables.changed || variables.complete',
        message: 'executor service account can not be nil',
      },
      {
        expression:
          '!variables.changed || !variables.complete || ' +
          `authorizer.group('${group}').resource('${resource}').namespace(request.namespace)` +
          `.name('system:serviceaccount:' + variables.accountNamespace + ':' + variables.account).check('${verb}').allowed()`,
        reason: 'Forbidden',
        messageExpression:
          "'user ' + request.userInfo.username + ' cannot manipulate the Manifestwork with executor ' + variables.accountNamespace + '/' + variables.account + ' in namespace ' + request.namespace",
      },
    ],
  });
