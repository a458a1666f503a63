import { defineOptions } from '@flotilla/process';

const group = 'Registration';

/** The flags of OCM that name bootstrap kubeconfigs. Drivers that read them share these definitions. */
export const kubeBootstrapOptions = defineOptions({
  bootstrapKubeconfig: {
    type: 'string',
    default: '',
    group,
    description:
      'Kubeconfig with which the agent asks the hub to accept the cluster. A new file is used without restart.',
  },
  bootstrapKubeconfigs: {
    type: 'list',
    group,
    description:
      'With the gate MultipleHubs, instead of --bootstrap-kubeconfig: one for each hub, at least two, the preferred one first.',
  },
});
