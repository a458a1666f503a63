import {
  ApiGroup,
  DataKey,
  type FeatureGateName,
  KeyPrefix,
  type Klusterlet,
  KubeconfigName,
  type KubeObject,
  NamespaceName,
  ObjectName,
  SecretName,
} from '@flotilla/api-types';
import { type ClusterAccess, formatKubeconfig, kubeconfigFor, type Namespace, type Secret } from '@flotilla/kube';
import type { Definition } from '../apply.ts';
import { gateModes } from '../feature-gates.ts';
import { asMadeByCli } from '../ownership.ts';

/** What a cluster needs to join a hub. */
export interface Membership {
  readonly clusterName: string;
  /** With the bootstrap token; goes into a Secret. */
  readonly hub: ClusterAccess;
  readonly mode: 'Default' | 'Singleton';
  readonly clientCertExpirationSeconds?: number;
  /** Keys without the prefix of agents get it. */
  readonly annotations?: Readonly<Record<string, string>>;
  readonly featureGates?: Readonly<Partial<Record<FeatureGateName, boolean>>>;
  /** Where the hub may reach this cluster. */
  readonly external?: { readonly server: string; readonly ca?: string };
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

const klusterlet = (membership: Membership): Klusterlet => {
  const { clusterName, mode, clientCertExpirationSeconds, annotations = {}, featureGates = {}, external } = membership;
  const clusterAnnotations = Object.fromEntries(
    Object.entries(annotations).map(([key, value]) => [prefixed(key), value]),
  );
  return {
    apiVersion: `${ApiGroup.Operator}/v1`,
    kind: 'Klusterlet',
    metadata: { name: ObjectName.Klusterlet },
    spec: {
      clusterName,
      namespace: NamespaceName.Agent,
      deployOption: { mode },
      ...(external && { externalServerURLs: [externalServer(external)] }),
      registrationConfiguration: {
        featureGates: gateModes('spoke-registration', featureGates),
        ...(clientCertExpirationSeconds !== undefined && { clientCertExpirationSeconds }),
        ...(Object.keys(clusterAnnotations).length > 0 && { clusterAnnotations }),
      },
    },
  };
};

const externalServer = ({ server, ca }: NonNullable<Membership['external']>) => ({
  url: server,
  ...(ca !== undefined && { caBundle: Buffer.from(ca).toString('base64') }),
});

const prefixed = (key: string): string =>
  key.startsWith(KeyPrefix.AgentAnnotation) ? key : `${KeyPrefix.AgentAnnotation}/${key}`;

/** Kinds of a managed cluster; those of the hub are not needed there. */
const kindsOfManagedClusters = ['klusterlets.', 'appliedmanifestworks.', 'clusterclaims.'];

/** The definitions that a managed cluster needs. Loaded when asked for: the schema library takes a while. */
export async function managedClusterDefinitions(): Promise<Definition[]> {
  const { customResourceDefinitions } = await import('@flotilla/api-types/kinds');
  return customResourceDefinitions().filter(({ metadata }) =>
    kindsOfManagedClusters.some((kind) => metadata.name?.startsWith(kind)),
  );
}

/** The namespaces of agents and of add-ons. */
export const agentNamespaces = (): KubeObject[] =>
  [namespace(NamespaceName.Agent), namespace(NamespaceName.AgentAddOn)].map(asMadeByCli);

/** What `join` puts on a managed cluster besides the definitions, those first that others need. */
export const agentObjects = (membership: Membership): KubeObject[] => [
  ...agentNamespaces(),
  ...[bootstrapSecret(membership.hub), klusterlet(membership)].map(asMadeByCli),
];
