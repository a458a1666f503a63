/** In the order in which they are applied: what others refer to goes first. */
const ranks: readonly (readonly string[])[] = [
  ['PriorityClass', 'Namespace', 'CustomResourceDefinition', 'StorageClass', 'PersistentVolume', 'PodSecurityPolicy'],
  ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'],
  ['NetworkPolicy', 'ResourceQuota', 'LimitRange', 'PodDisruptionBudget', 'ServiceAccount'],
  ['Secret', 'ConfigMap', 'PersistentVolumeClaim'],
  ['Service'],
  [
    'DaemonSet',
    'Pod',
    'ReplicationController',
    'ReplicaSet',
    'Deployment',
    'HorizontalPodAutoscaler',
    'StatefulSet',
    'Job',
    'CronJob',
  ],
  [
    'APIService',
    'MutatingWebhookConfiguration',
    'ValidatingWebhookConfiguration',
    'ValidatingAdmissionPolicy',
    'ValidatingAdmissionPolicyBinding',
  ],
];

const rankOfOthers = 1000;
const rankOfUndecodable = 1001;

const rankByKind: ReadonlyMap<string, number> = new Map(
  ranks.flatMap((kinds, rank) => kinds.map((kind) => [kind, rank] as const)),
);

/** When a manifest is applied: lower ranks first, whatever the group of the kind. */
export const rankOf = (kind: string | undefined): number =>
  kind === undefined ? rankOfUndecodable : (rankByKind.get(kind) ?? rankOfOthers);
