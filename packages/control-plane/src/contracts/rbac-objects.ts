import type { LabelSelector } from '@flotilla/kube/meta';
import type { KubeObject } from '@flotilla/schema';

export const rbacGroup = 'rbac.authorization.k8s.io';

/** Verbs on resources, or on paths that are none. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** A Role or ClusterRole as it is stored. */
export interface RoleObject extends KubeObject {
  readonly rules?: readonly PolicyRule[] | null;
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly LabelSelector[] };
}

export interface RoleRef {
  readonly apiGroup: string;
  readonly kind: string;
  readonly name: string;
}

export interface RbacSubject {
  readonly kind: string;
  readonly apiGroup?: string;
  readonly name: string;
  readonly namespace?: string;
}

/** A RoleBinding or ClusterRoleBinding as it is stored. */
export interface BindingObject extends KubeObject {
  readonly roleRef: RoleRef;
  readonly subjects?: readonly RbacSubject[] | null;
}
