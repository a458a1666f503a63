import {
  ApiGroup,
  DataKey,
  type Klusterlet,
  KubeconfigName,
  type KubeObject,
  NamespaceName,
  ObjectName,
  SecretName,
} from '@flotilla/api-types';
import { type ClusterAccess, formatKubeconfig, kubeconfigFor, type Namespace, type Secret } from '@flotilla/kube';

/** What a cluster needs to join a hub. */
export interface Membership {
  readonly clusterName: string;
  /** With the bootstrap token; goes into a Secret. */
  readonly hub: ClusterAccess;
  readonly mode: 'Default' | 'Singleton';
  readonly clientCertExpirationSeconds?: number;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Where the agent's Secrets are. */
export const bootstrapSecretKey = `${NamespaceName.Agent}/${SecretName.BootstrapHubKubeconfig}`;

const namespace = (name: string): Namespace => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

/** The Secret with which the agent first meets the hub, as OCM's agents and operator read it. */
const bootstrapSecret = (hub: ClusterAccess): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: SecretName.BootstrapHubKubeconfig, namespace: NamespaceName.Agent },
  type: 'Opaque',
  data: {
    [DataKey.Kubeconfig]: Buffer.from(
      formatKubeconfig(
        kubeconfigFor(hub, {
          cluster: KubeconfigName.BootstrapCluster,
          user: KubeconfigName.BootstrapUser,
          context: KubeconfigName.BootstrapUser,
          namespace: 'default',
        }),
      ),
    ).toString('base64'),
  },
});

const klusterlet = ({ clusterName, mode, clientCertExpirationSeconds, annotations }: Membership): Klusterlet => ({
  apiVersion: `${ApiGroup.Operator}/v1`,
  kind: 'Klusterlet',
  metadata: { name: ObjectName.Klusterlet },
  spec: {
    clusterName,
    namespace: NamespaceName.Agent,
    deployOption: { mode },
    registrationConfiguration: {
      ...(clientCertExpirationSeconds !== undefined && { clientCertExpirationSeconds }),
      ...(annotations && Object.keys(annotations).length > 0 && { clusterAnnotations: { ...annotations } }),
    },
  },
});

/** Kinds of a managed cluster; those of the hub are not needed there. */
const kindsOfManagedClusters = ['klusterlets.', 'appliedmanifestworks.', 'clusterclaims.'];

/** The definitions that a managed cluster needs. Loaded when asked for: the schema library takes a while. */
export async function managedClusterDefinitions(): Promise<KubeObject[]> {
  const { customResourceDefinitions } = await import('@flotilla/api-types/kinds');
  return customResourceDefinitions().filter(({ metadata }) =>
    kindsOfManagedClusters.some((kind) => metadata.name?.startsWith(kind)),
  );
}

/** What `join` puts on a managed cluster besides the definitions, those first that others need. */
export const agentObjects = (membership: Membership): KubeObject[] => [
  namespace(NamespaceName.Agent),
  namespace(NamespaceName.AgentAddOn),
  bootstrapSecret(membership.hub),
  klusterlet(membership),
];
