import type { Manifest } from '../definition/manifest.ts';

/** Kinds that others need come first, as Helm installs them. */
const order: readonly string[] = [
  'PriorityClass',
  'Namespace',
  'NetworkPolicy',
  'ResourceQuota',
  'LimitRange',
  'PodSecurityPolicy',
  'PodDisruptionBudget',
  'ServiceAccount',
  'Secret',
  'SecretList',
  'ConfigMap',
  'StorageClass',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'CustomResourceDefinition',
  'ClusterRole',
  'ClusterRoleList',
  'ClusterRoleBinding',
  'ClusterRoleBindingList',
  'Role',
  'RoleList',
  'RoleBinding',
  'RoleBindingList',
  'Service',
  'DaemonSet',
  'Pod',
  'ReplicationController',
  'ReplicaSet',
  'Deployment',
  'HorizontalPodAutoscaler',
  'StatefulSet',
  'Job',
  'CronJob',
  'IngressClass',
  'Ingress',
  'APIService',
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
];
const ranks: ReadonlyMap<string, number> = new Map(order.map((kind, rank) => [kind, rank]));

/** Sorts in install order; unknown kinds come last by name, and what ranks the same keeps its place. */
export const inInstallOrder = (manifests: readonly Manifest[]): Manifest[] =>
  [...manifests].sort(({ kind: a = '' }, { kind: b = '' }) => {
    const [left, right] = [ranks.get(a), ranks.get(b)];
    if (left === undefined && right === undefined) return a < b ? -1 : a > b ? 1 : 0;
    return (left ?? order.length) - (right ?? order.length);
  });
