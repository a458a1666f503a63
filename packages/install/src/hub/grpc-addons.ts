import { AddOnRole, ApiGroup, NamespaceName, ServiceAccountName } from '@flotilla/api-types';
import { boundPolicy } from '@flotilla/kube/admission';
import type { KubeObject } from '@flotilla/schema';
import { accountSubject, clusterRoleBinding, serviceAccount } from '../objects/rbac.ts';

const addOn = '^system:open-cluster-management:cluster:[^:]+:addon:[^:]+';
const users = `${addOn}:agent:[^:]+$`;
const groups = `${addOn}$|^system:open-cluster-management:addon:[^:]+$`;
const namesMatch = (pattern: string) => `rule.resourceNames.all(name, name.matches('${pattern}'))`;

/**
 * By which the gRPC server acts for add-ons. The roles have no rules here, so that to apply them again takes none away: the controllers
 * of the hub fill them in. They may write any rule into them, and the policy lets them write one kind: to act for named add-ons.
 */
export function grpcAddOnAccess(namespace: string = NamespaceName.Hub): KubeObject[] {
  const account = serviceAccount(namespace, ServiceAccountName.GrpcServer);
  const roles = AddOnRole.names.flatMap((name): KubeObject[] => [
    {
      apiVersion: `${ApiGroup.Rbac}/v1`,
      kind: 'ClusterRole',
      metadata: { name, labels: { ...AddOnRole.labels } },
    },
    clusterRoleBinding(name, name, [accountSubject(account)]),
  ]);
  return [...roles, ...addOnRolePolicy()];
}

const addOnRolePolicy = (): KubeObject[] =>
  boundPolicy({
    name: 'grpc-addons.policy.addon.open-cluster-management.io',
    group: ApiGroup.Rbac,
    version: 'v1',
    resource: 'clusterroles',
    matchConditions: [
      { name: 'of-the-grpc-server', expression: `object.metadata.name.startsWith('${AddOnRole.prefix}')` },
    ],
    validations: [
      {
        expression:
          // An API server writes null where there are none.
          '!has(object.rules) || dyn(object.rules) == null || object.rules.all(rule, has(rule.resourceNames) && rule.resourceNames.size() > 0 && ' +
          "rule.verbs == ['impersonate'] && has(rule.apiGroups) && rule.apiGroups == [''] && has(rule.resources) && " +
          `((rule.resources == ['users'] && ${namesMatch(users)}) || (rule.resources == ['groups'] && ${namesMatch(groups)})))`,
        message: 'the gRPC server of the hub may act for users and groups of add-ons only, each by its name',
      },
      {
        expression: '!has(object.aggregationRule)',
        message: 'the rules of this role cannot come from other roles',
      },
    ],
  });
