import { ConfigMapName, SecretName } from '@flotilla/api-types';
import { defineOptions, kubeOptions, leaderElectionOptions, processOptions } from '@flotilla/process';
import { terminateOnFiles } from './options.ts';

const group = 'gRPC';
const everyReplica = 'every replica serves, none leads';
const { default: _, ...tlsMinVersion } = processOptions.tlsMinVersion;

/** The flags of `flotilla-hub grpc-server`: OCM's, and where certificates are without files. */
export const grpcServerOptions = defineOptions({
  ...kubeOptions,
  serverConfig: {
    type: 'string',
    group,
    description: 'YAML file with the settings of the listener. If it does not exist, the defaults are used.',
  },
  bindAddress: { type: 'string', default: '0.0.0.0', group, description: 'Address of the gRPC port.' },
  grpcServerBindport: {
    type: 'integer',
    min: 0,
    max: 65_535,
    group,
    description: 'The gRPC port, instead of server_bind_port in the file, which is 8090 by default.',
  },
  serviceAccount: {
    type: 'string',
    group,
    description:
      'Act as this service account (namespace/name) instead of the user of the kubeconfig, who must be allowed to get tokens of it: for a server outside of the cluster.',
  },
  brokerHeartbeatDisabled: { type: 'boolean', group, description: 'Send no heartbeats on streams.' },
  brokerHeartbeatInterval: {
    type: 'duration',
    default: '10s',
    group,
    description: 'Time between two heartbeats on a stream; 10s at least.',
  },
  certdir: {
    type: 'string',
    group,
    description:
      'Directory with tls.crt and tls.key, read again when they change, if --server-config names no files. Default: where OCM mounts them, and else --serving-secret.',
  },
  clientCaFile: {
    type: 'string',
    group,
    description:
      'File with the authorities of client certificates, if --server-config names none. Default: where OCM mounts it, and else --client-ca-configmap.',
  },
  servingSecret: {
    type: 'string',
    default: SecretName.GrpcServerServingCert,
    group,
    description:
      'Secret in the namespace of the hub with tls.crt and tls.key, for a server without certificate files. It may be one of cert-manager; changes are followed.',
  },
  clientCaConfigmap: {
    type: 'string',
    default: ConfigMapName.CaBundle,
    group,
    description:
      'ConfigMap in the namespace of the hub with ca-bundle.crt, by which client certificates are verified if no file says so. Changes are followed.',
  },
  namespace: { ...leaderElectionOptions.namespace, group, description: 'Namespace of the hub, where these two are.' },
  // Without a default, because the file may have one.
  tlsMinVersion,
  disableLeaderElection: { ...leaderElectionOptions.disableLeaderElection, deprecated: everyReplica },
  leaderElectionLeaseDuration: { ...leaderElectionOptions.leaderElectionLeaseDuration, deprecated: everyReplica },
  leaderElectionRenewDeadline: { ...leaderElectionOptions.leaderElectionRenewDeadline, deprecated: everyReplica },
  leaderElectionRetryPeriod: { ...leaderElectionOptions.leaderElectionRetryPeriod, deprecated: everyReplica },
  terminateOnFiles,
});
