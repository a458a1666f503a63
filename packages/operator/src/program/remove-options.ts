import { defineOptions, kubeOptions } from '@flotilla/process';

const group = 'Removal';

/** The flags of `flotilla-operator remove`. */
export const removeOptions = defineOptions({
  ...kubeOptions,
  clusterManager: { type: 'string', default: '', group, description: 'Name of the ClusterManager to delete.' },
  klusterlet: { type: 'string', default: '', group, description: 'Name of the Klusterlet to delete.' },
  timeout: {
    type: 'duration',
    default: '5m',
    group,
    description: 'How long to wait until the operator removed everything that it installed.',
  },
});
