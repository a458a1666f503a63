import { NamespaceName, SecretName, ServiceAccountName, UserName } from '@flotilla/api-types';
import { defineOptions } from '@flotilla/process';
import { certificateOptions } from '@flotilla/registration-core/certificates';
import { kubeBootstrapOptions } from '@flotilla/registration-core/kube-hub';

const group = 'Registration';
const namespace = NamespaceName.Hub;

/** Flags of the agent. */
export const agentOptions = defineOptions({
  ...kubeBootstrapOptions,
  ...certificateOptions,
  grpcBootstrapConfig: {
    type: 'string',
    default: '',
    group,
    description:
      'Configuration (url, caData, token) with which the agent asks the gRPC server of the hub to accept the cluster. A new file is used without restart.',
  },
  grpcConfig: {
    type: 'string',
    default: '',
    group,
    description:
      'Where other processes find the configuration for the gRPC server with the identity of the cluster: the file config.yaml in --hub-kubeconfig-dir.',
  },
  addonEndpointListen: {
    type: 'string',
    default: '127.0.0.1:0',
    group,
    description:
      'Where add-ons reach the API of the hub, by TLS and a client certificate each: their requests take the gRPC connection of the agent. Port 0 is any that is free, and the same after a restart.',
  },
  addonEndpointAddress: {
    type: 'string',
    default: '',
    group,
    description:
      'The host:port for it in the kubeconfigs of add-ons, such as that of a Service for add-ons in other pods. Default: the address at which it listens.',
  },
});

/** Flags of the hub. */
export const hubOptions = defineOptions({
  grpcCaFile: {
    type: 'string',
    default: '',
    group,
    description:
      'Certificate of the authority that signs client certificates for the gRPC server. Read for each certificate, so that a new one needs no restart. Default: that in --grpc-signer-secret.',
  },
  grpcKeyFile: {
    type: 'string',
    default: '',
    group,
    description: 'Key of --grpc-ca-file.',
  },
  grpcSignerSecret: {
    type: 'string',
    default: `${namespace}/${SecretName.Signer}`,
    group,
    description:
      'Secret (namespace/name, type kubernetes.io/tls) with that authority, where no files are given. A new one is used without restart.',
  },
  grpcSigningDuration: {
    type: 'duration',
    default: '720h',
    zeroIsDefault: true,
    group,
    description: 'How long client certificates for the gRPC server live at most. They end with their authority.',
  },
  autoApprovedGrpcUsers: {
    type: 'list',
    group,
    description:
      'Users whose first certificate requests over gRPC are approved without an administrator, if the gate ManagedClusterAutoApproval is on.',
  },
  grpcServerUsers: {
    type: 'list',
    default: [UserName.ServiceAccount.of({ namespace, name: ServiceAccountName.GrpcServer })],
    group,
    description:
      'Users that gRPC servers of this hub run as. Only in their requests the annotation open-cluster-management.io/csr-user names who asks.',
  },
});
