import { DataKey, KubeconfigName, NamespaceName, SecretName } from '@flotilla/api-types';
import type { ClusterAccess } from '@flotilla/kube';
import type { Secret } from '@flotilla/kube/kinds';
import { formatKubeconfig, kubeconfigFor } from '@flotilla/kube/kubeconfig';
import { stringify } from 'yaml';

/** `namespace/name` of the bootstrap Secret. */
export const bootstrapSecretKey = `${NamespaceName.Agent}/${SecretName.BootstrapHubKubeconfig}`;

const names = {
  cluster: KubeconfigName.BootstrapCluster,
  user: KubeconfigName.BootstrapUser,
  context: KubeconfigName.BootstrapUser,
  namespace: 'default',
};

/** How a cluster reaches a gRPC server for the first time, as `config.yaml` of OCM's agents has it. */
export interface GrpcBootstrap {
  /** `host:port` */
  readonly url: string;
  /** Base64 of PEM. */
  readonly caData?: string;
  readonly token: string;
}

/** What the bootstrap Secret is made of: one of the two ways to the hub, or both. */
export interface BootstrapValues {
  readonly clusterName: string;
  /** The API server of the hub, with the bootstrap token. */
  readonly hub?: ClusterAccess;
  readonly grpc?: GrpcBootstrap;
}

/** The kubeconfig by which an agent requests to join. */
export const bootstrapKubeconfig = (hub: ClusterAccess): string => formatKubeconfig(kubeconfigFor(hub, names));

/** How an agent reaches a gRPC server for the first time, as a file. */
export const grpcBootstrapConfig = (grpc: GrpcBootstrap): string => stringify(grpc);

/**
 * The Secret with the first access to the hub, as OCM's agents and operator read it. The name of the cluster is beside it, for
 * Deployments that no operator renders: they take it from here.
 */
export const bootstrapSecret = ({ hub, grpc, clusterName }: BootstrapValues): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: SecretName.BootstrapHubKubeconfig, namespace: NamespaceName.Agent },
  type: 'Opaque',
  data: {
    ...(hub && { [DataKey.Kubeconfig]: base64(bootstrapKubeconfig(hub)) }),
    ...(grpc && { [DataKey.DriverConfig]: base64(grpcBootstrapConfig(grpc)) }),
    [DataKey.ClusterName]: base64(clusterName),
  },
});

const base64 = (text: string): string => Buffer.from(text).toString('base64');
