import { defaultLimits } from '@flotilla/cluster-proxy/hub';
import { defineOptions, kubeOptions, leaderElectionOptions } from '@flotilla/process';

const group = 'Cluster proxy';

/** The flags of `flotilla-hub cluster-proxy`. */
export const clusterProxyOptions = defineOptions({
  ...kubeOptions,
  namespace: leaderElectionOptions.namespace,
  bindAddress: { type: 'string', default: '0.0.0.0', group, description: 'Address of the port of the API.' },
  port: { type: 'integer', min: 0, max: 65_535, default: 9443, group, description: 'Port of the API, HTTPS.' },
  advertiseAddress: {
    type: 'string',
    default: '',
    group,
    description: 'Address at which other replicas reach this one. Default: POD_IP, or else the address of the port.',
  },
  externalName: {
    type: 'string',
    default: '',
    group,
    description:
      'For a program outside of the cluster: the name by which the API server reaches it, such as localhost. A Service of type ExternalName and the APIService are written for it.',
  },
  certdir: {
    type: 'string',
    group,
    description:
      'Directory with tls.crt and tls.key, read again when they change. Without it: a certificate of its own, in a Secret.',
  },
  caFile: {
    type: 'string',
    group,
    description: 'With --certdir: file with the authorities by which replicas verify one another. Default: its ca.crt.',
  },
  servingLifetime: {
    type: 'duration',
    default: '720h',
    min: '1m',
    group,
    description: 'How long a certificate of its own lives; it is replaced after two thirds.',
  },
  maxRequestsPerCluster: {
    type: 'integer',
    min: 1,
    default: defaultLimits.perCluster,
    group,
    description: 'Requests to one cluster that may be under way at once, watches included.',
  },
  maxRequestsPerUser: {
    type: 'integer',
    min: 1,
    default: defaultLimits.perUser,
    group,
    description: 'Requests of one user to one cluster that may be under way at once.',
  },
});
