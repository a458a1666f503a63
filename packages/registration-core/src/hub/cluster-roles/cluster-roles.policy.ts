import { ApiGroup, ClusterRoleName, Label, LeaseName } from '@flotilla/api-types';
import type { ClusterRole } from '@flotilla/kube/kinds';

/** What the agents of every cluster may do in the namespace of their own. The empty label lets the hub's cache see them. */
export function commonClusterRoles(extraLabels: Readonly<Record<string, string>>): readonly ClusterRole[] {
  const labels = { ...extraLabels, [Label.ClusterName]: '' };
  return [
    {
      metadata: { name: ClusterRoleName.ManagedClusterRegistration, labels },
      rules: [
        { apiGroups: [ApiGroup.Coordination], resources: ['leases'], verbs: ['get', 'list', 'watch'] },
        {
          apiGroups: [ApiGroup.Coordination],
          resources: ['leases'],
          resourceNames: [LeaseName.ManagedCluster],
          verbs: ['update'],
        },
        { apiGroups: [ApiGroup.AddOn], resources: ['managedclusteraddons'], verbs: ['get', 'list', 'watch'] },
        { apiGroups: [ApiGroup.AddOn], resources: ['managedclusteraddons/status'], verbs: ['patch', 'update'] },
        { apiGroups: [ApiGroup.Events], resources: ['events'], verbs: ['create'] },
      ],
    },
    {
      metadata: { name: ClusterRoleName.ManagedClusterWork, labels },
      rules: [
        { apiGroups: [ApiGroup.Core, ApiGroup.Events], resources: ['events'], verbs: ['create', 'patch', 'update'] },
        {
          apiGroups: [ApiGroup.Work],
          resources: ['manifestworks'],
          verbs: ['get', 'list', 'watch', 'update', 'patch'],
        },
        { apiGroups: [ApiGroup.Work], resources: ['manifestworks/status'], verbs: ['patch', 'update'] },
      ],
    },
  ];
}
