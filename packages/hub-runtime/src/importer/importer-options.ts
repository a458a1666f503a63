import { NamespaceName, ServiceAccountName } from '@flotilla/api-types';
import { defineOptions } from '@flotilla/process';

const group = 'Import of clusters (gate ClusterImporter)';

/** OCM's flags of the importer. */
export const importerOptions = defineOptions({
  hubApiserverUrl: {
    type: 'string',
    default: '',
    group,
    description:
      'Address of this hub in bootstrap kubeconfigs. Default: that in the ConfigMap kube-public/cluster-info.',
  },
  agentImage: {
    type: 'string',
    default: '',
    group,
    description: 'Image of the operator that is installed on clusters. Default: that of this version.',
  },
  bootstrapServiceaccount: {
    type: 'string',
    default: `${NamespaceName.Operator}/${ServiceAccountName.AgentRegistrationBootstrap}`,
    group,
    description: 'Service account (namespace/name) whose tokens let imported clusters request to join.',
  },
  importRenderers: {
    type: 'list',
    default: ['render-from-config-secret'],
    group,
    description:
      'Where the values of the chart klusterlet come from, the later ones win: render-auto (a token, the image and the pull secret of this hub), render-from-config-secret (Secret cluster-import-config in the namespace of the cluster).',
  },
});
