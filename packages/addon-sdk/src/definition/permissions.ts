import type { PolicyRule, RoleRef } from '@flotilla/kube/kinds';

/** How the binding of a permission is named and labelled, where the default does not do. */
export interface BindingOptions {
  readonly name?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** A permission of the agents of an add-on on the hub. */
export type HubPermission =
  | { readonly type: 'clusterNamespaceRules'; readonly rules: readonly PolicyRule[]; readonly binding: BindingOptions }
  | { readonly type: 'clusterNamespaceRole'; readonly clusterRole: string; readonly binding: BindingOptions }
  | {
      readonly type: 'namespaceRole';
      readonly namespace: string;
      readonly roleRef: Pick<RoleRef, 'kind' | 'name'>;
      readonly binding: BindingOptions;
    };

/** Says what agents may do on the hub. Who they are is filled in from the registration. */
export interface PermissionBuilder {
  /** These rules in the namespace of the agent's own cluster: a Role and a RoleBinding, owned by the add-on. */
  inClusterNamespace(rules: readonly PolicyRule[], binding?: BindingOptions): HubPermission;
  /** What a ClusterRole that exists allows, in the namespace of the agent's own cluster. */
  bindClusterRole(name: string, binding?: BindingOptions): HubPermission;
  /** What a Role or ClusterRole that exists allows in one namespace; agents of all clusters share the binding. */
  inNamespace(namespace: string, roleRef: Pick<RoleRef, 'kind' | 'name'>, binding?: BindingOptions): HubPermission;
}

/** Makes permissions. */
export const permissions: PermissionBuilder = {
  inClusterNamespace: (rules, binding = {}) => ({ type: 'clusterNamespaceRules', rules, binding }),
  bindClusterRole: (clusterRole, binding = {}) => ({ type: 'clusterNamespaceRole', clusterRole, binding }),
  inNamespace: (namespace, roleRef, binding = {}) => ({ type: 'namespaceRole', namespace, roleRef, binding }),
};
