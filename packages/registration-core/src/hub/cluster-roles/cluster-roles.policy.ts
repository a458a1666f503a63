import { ApiGroup, ClusterProxyApi, ClusterRoleName, Label, LeaseName } from '@flotilla/api-types';
import type { ClusterRole } from '@flotilla/kube/kinds';

/** Not in OCM: the agent of a cluster may offer its API to users of the hub. That it does so is decided on the cluster. */
const tunnelRule = {
  apiGroups: [ClusterProxyApi.group],
  resources: [`${ClusterProxyApi.tunnels}/${ClusterProxyApi.attach}`],
  verbs: ['get'],
};

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
        tunnelRule,
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
