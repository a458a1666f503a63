import { DataKey, KubeconfigName } from '@flotilla/api-types';
import { type ClusterAccess, KubeError } from '@flotilla/kube';
import type { KubeconfigUser } from '@flotilla/kube/kubeconfig';
import { parse, stringify } from 'yaml';
import type { CredentialIssuer, HubEndpoint } from '../contract/index.ts';

/** The endpoint that bootstrap access leads to. Its CA is taken inline, so that no path has to hold in another directory. */
export const endpointOfAccess = ({ clusterName, server, ca, proxyUrl }: ClusterAccess): HubEndpoint => ({
  name: clusterName ?? KubeconfigName.BootstrapCluster,
  server,
  ...(ca !== undefined && { caData: Buffer.from(ca).toString('base64') }),
  ...(proxyUrl !== undefined && { proxyUrl }),
});

/** The kubeconfig that is stored for the hub, byte for byte as OCM writes it: sorted keys, nothing empty, one context. */
export function formatHubKubeconfig(endpoint: HubEndpoint, user: KubeconfigUser): string {
  const { name, server, caData, caFile, proxyUrl } = endpoint;
  const document = {
    apiVersion: 'v1',
    clusters: [
      {
        cluster: {
          ...(caFile !== undefined && { 'certificate-authority': caFile }),
          ...(caData !== undefined && { 'certificate-authority-data': caData }),
          ...(proxyUrl !== undefined && { 'proxy-url': proxyUrl }),
          server,
        },
        name,
      },
    ],
    contexts: [
      {
        context: { cluster: name, namespace: KubeconfigName.Namespace, user: KubeconfigName.User },
        name: KubeconfigName.Context,
      },
    ],
    'current-context': KubeconfigName.Context,
    kind: 'Config',
    users: [{ name: KubeconfigName.User, user: sorted(user) }],
  };
  return stringify(document, { lineWidth: 0, indentSeq: false });
}

const sorted = (user: KubeconfigUser): object =>
  Object.fromEntries(
    Object.entries(user)
      .filter(([, value]) => value !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

interface ParsedEntry {
  readonly name?: string;
  readonly context?: { readonly cluster?: string };
  readonly cluster?: Readonly<Record<string, string | undefined>>;
}

/** The endpoint of the current context. Throws `Config` if the text has none. */
export function readEndpoint(kubeconfig: string): HubEndpoint {
  const document = readDocument(kubeconfig);
  const contextName = document['current-context'] ?? '';
  const context = document.contexts?.find(({ name }) => name === contextName)?.context;
  if (!context) throw new KubeError('Config', `kubeconfig does not contains context: ${contextName}`);
  const name = context.cluster ?? '';
  const cluster = document.clusters?.find((entry) => entry.name === name)?.cluster;
  if (!cluster) throw new KubeError('Config', `kubeconfig does not contains cluster: ${name}`);
  const caData = cluster['certificate-authority-data'];
  const caFile = cluster['certificate-authority'];
  const proxyUrl = cluster['proxy-url'];
  return {
    name,
    server: cluster.server ?? '',
    ...(caData && { caData }),
    ...(caFile && { caFile }),
    ...(proxyUrl && { proxyUrl }),
  };
}

function readDocument(kubeconfig: string): {
  'current-context'?: string;
  contexts?: readonly ParsedEntry[];
  clusters?: readonly ParsedEntry[];
} {
  try {
    return parse(kubeconfig) ?? {};
  } catch (cause) {
    throw new KubeError('Config', 'the stored hub kubeconfig is not YAML', { cause });
  }
}

/** Stored credentials with a kubeconfig for the hub that has this user entry. */
export const hubKubeconfig = (user: KubeconfigUser): Pick<CredentialIssuer, 'endpointOf' | 'describe'> => ({
  endpointOf: ({ kubeconfig }) => (kubeconfig ? readEndpoint(kubeconfig) : undefined),
  describe: (endpoint) => ({ [DataKey.Kubeconfig]: formatHubKubeconfig(endpoint, user) }),
});

/** Stored credentials that lead to no hub, such as those of another signer. */
export const withoutKubeconfig: Pick<CredentialIssuer, 'endpointOf' | 'describe'> = {
  endpointOf: () => undefined,
  describe: () => ({}),
};
