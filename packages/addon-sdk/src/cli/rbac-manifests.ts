import type { PolicyRule } from '@flotilla/kube/kinds';
import type { AddonDefinition } from '../definition/addon-definition.ts';
import type { Manifest } from '../definition/manifest.ts';
import { addonRules } from '../engine/addon-role.ts';

/** Where the controller of an add-on runs. */
export interface ControllerPlace {
  readonly namespace: string;
}

/** The name of all objects of the controller of an add-on. */
export const controllerName = ({ name }: Pick<AddonDefinition, 'name'>): string => `${name}-addon-controller`;

const rbac = 'rbac.authorization.k8s.io';

/** For the election of one among several replicas. */
const electionRules: PolicyRule[] = [
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update', 'patch'] },
];

/** The rights of an add-on's controller on the hub, and who has them. */
export function rbacManifests(definition: AddonDefinition, { namespace }: ControllerPlace): Manifest[] {
  const name = controllerName(definition);
  const subjects = [{ kind: 'ServiceAccount', name, namespace }];
  const roleRef = (kind: string) => ({ apiGroup: rbac, kind, name });
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } },
    { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name }, rules: addonRules(definition) },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef: roleRef('ClusterRole'),
      subjects,
    },
    { apiVersion: `${rbac}/v1`, kind: 'Role', metadata: { name, namespace }, rules: electionRules },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata: { name, namespace },
      roleRef: roleRef('Role'),
      subjects,
    },
  ];
}
