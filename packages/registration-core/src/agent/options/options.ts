import { SecretName } from '@flotilla/api-types';
import { KubeError } from '@flotilla/kube';

/** How an agent behaves. The names and defaults of the flags are OCM's. */
export interface AgentOptions {
  /** Empty: as stored, or else a random UUID. */
  readonly clusterName?: string;
  /** Empty: as stored, or else five random letters. */
  readonly agentName?: string;
  /** Where the agent's secrets are on the management cluster. */
  readonly namespace: string;
  /** Default `hub-kubeconfig-secret`. */
  readonly hubKubeconfigSecret?: string;
  /** Directory for copies of that secret as files; none if unset. */
  readonly hubKubeconfigDir?: string;
  /** Addresses of the cluster's API server for the hub; each https. */
  readonly spokeExternalServerUrls?: readonly string[];
  /** PEM that the API server of the cluster is checked against from there. */
  readonly spokeCaBundle?: string;
  /** Default a minute. */
  readonly clusterHealthCheckPeriodMs?: number;
  /** Default 20. */
  readonly maxCustomClusterClaims?: number;
  readonly reservedClusterClaimSuffixes?: readonly string[];
  /** Reports the claim `id.k8s.io` also where the cluster has none. Default false. */
  readonly reportClusterId?: boolean;
  /** Only keys that start with `agent.open-cluster-management.io` are used. */
  readonly clusterAnnotations?: Readonly<Record<string, string>>;
  /** Of the ManagedCluster when it is created. */
  readonly clusterLabels?: Readonly<Record<string, string>>;
  /** With several hubs: how long one may be silent before the agent moves to another. Default 600. */
  readonly hubConnectionTimeoutSeconds?: number;
  /** The auth type for add-ons that ask for access to the hub's API. Default: that of the first driver that serves add-ons. */
  readonly addonAuth?: string;
  /** By their OCM names; OCM's defaults where unset. */
  readonly featureGates?: Readonly<Record<string, boolean>>;
}

/** The options with all defaults. */
export type ResolvedAgentOptions = Required<Omit<AgentOptions, Unfilled>> & Pick<AgentOptions, Unfilled>;

type Unfilled = 'clusterName' | 'agentName' | 'spokeCaBundle' | 'hubKubeconfigDir' | 'addonAuth';

/** Fills in the defaults and refuses what cannot work, in OCM's words and order. */
export function resolveOptions(options: AgentOptions): ResolvedAgentOptions {
  const resolved: ResolvedAgentOptions = {
    hubKubeconfigSecret: SecretName.HubKubeconfig,
    spokeExternalServerUrls: [],
    clusterHealthCheckPeriodMs: 60_000,
    maxCustomClusterClaims: 20,
    reservedClusterClaimSuffixes: [],
    reportClusterId: false,
    clusterAnnotations: {},
    clusterLabels: {},
    hubConnectionTimeoutSeconds: 600,
    featureGates: {},
    ...options,
  };
  for (const url of resolved.spokeExternalServerUrls) {
    if (URL.parse(url)?.protocol !== 'https:') {
      throw new KubeError('Config', `"${url}" is invalid`, {
        hint: 'Each of --spoke-external-server-urls needs the form https://host:port.',
      });
    }
  }
  if (resolved.spokeExternalServerUrls.length > 0 && !resolved.spokeCaBundle) {
    throw new KubeError('Config', 'external server addresses are given, and no CA bundle of the cluster', {
      hint: 'The kubeconfig of the managed cluster must name its CA.',
    });
  }
  if (resolved.clusterHealthCheckPeriodMs <= 0) {
    throw new KubeError('Config', 'cluster healthcheck period must greater than zero', {
      hint: 'Give --cluster-healthcheck-period a duration such as 1m.',
    });
  }
  return resolved;
}
