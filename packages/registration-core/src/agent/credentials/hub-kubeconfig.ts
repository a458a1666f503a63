import { KubeconfigName } from '@flotilla/api-types';
import { type ClusterAccess, type KubeconfigUser, KubeError } from '@flotilla/kube';
import { parse, stringify } from 'yaml';
import type { StoredCredentials } from '../../contract/index.ts';
import { isSameTrust, trustsAll } from '../hub-info/ca-bundle.ts';

/** Where the hub is, as the kubeconfig for it says. */
export interface HubEndpoint {
  /** What the bootstrap kubeconfig calls the cluster: renaming it tells agents that the hub behind the address is another. */
  readonly name: string;
  readonly server: string;
  /** Base64 of PEM. */
  readonly caData?: string;
  /** A path; kept as it is. */
  readonly caFile?: string;
  readonly proxyUrl?: string;
}

/** The endpoint that bootstrap access leads to. Its CA is taken inline, so that no path has to hold in another directory. */
export const endpointOf = ({ clusterName, server, ca, proxyUrl }: ClusterAccess): HubEndpoint => ({
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

/** The hub of stored credentials; undefined if they name none that can be read. */
export function storedEndpoint(stored: StoredCredentials | undefined): HubEndpoint | undefined {
  try {
    return stored?.kubeconfig ? readEndpoint(stored.kubeconfig) : undefined;
  } catch {
    return undefined;
  }
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

/**
 * Why a stored kubeconfig does not lead where the bootstrap one does; undefined if it does. What is compared is what it says and
 * not how it is written, so that a secret of OCM's own agent is taken over as it is.
 */
export function endpointDifference(stored: string, bootstrap: HubEndpoint): string | undefined {
  let current: HubEndpoint;
  try {
    current = readEndpoint(stored);
  } catch (error) {
    return KubeError.from(error).message;
  }
  return compareEndpoints(current, bootstrap);
}

/** What is different about where the hub is now; undefined if nothing is. */
export function compareEndpoints(current: HubEndpoint, bootstrap: HubEndpoint): string | undefined {
  if (current.name !== bootstrap.name) return `the hub is called ${bootstrap.name} and was ${current.name}`;
  if (current.server !== bootstrap.server) return `the hub is at ${bootstrap.server} and was at ${current.server}`;
  if ((current.proxyUrl ?? '') !== (bootstrap.proxyUrl ?? '')) return 'the proxy to the hub is another';
  if ((current.caFile ?? '') !== (bootstrap.caFile ?? '') && !bootstrap.caData)
    return 'the CA file of the hub is another';
  // A stored path is compared by what it was made from: the bootstrap access has read the file.
  if (current.caFile === undefined && !trustsBootstrap(current.caData, bootstrap.caData)) {
    return 'the CA of the hub is another';
  }
  return undefined;
}

/** Whether two kubeconfigs lead to the same hub and trust the same, in whatever words; a CA that is a path is taken on trust. */
export function isSameHub(a: string, b: string): boolean {
  const [left, right] = [storedEndpoint({ kubeconfig: a }), storedEndpoint({ kubeconfig: b })];
  if (!left || !right) return false;
  const isSamePlace = compareEndpoints({ ...left, ...noCa }, { ...right, ...noCa }) === undefined;
  return isSamePlace && (left.caFile !== undefined || isSameTrust(left.caData, right.caData));
}

const noCa = { caData: '', caFile: '' };

/** More may be trusted than the bootstrap access names: what the hub announced. */
const trustsBootstrap = (current: string | undefined, bootstrap: string | undefined): boolean =>
  current === undefined || bootstrap === undefined ? current === bootstrap : trustsAll(current, bootstrap);
