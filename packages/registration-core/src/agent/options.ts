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
  /** Addresses of the cluster's API server for the hub; each https. */
  readonly spokeExternalServerUrls?: readonly string[];
  /** PEM that the API server of the cluster is checked against from there. */
  readonly spokeCaBundle?: string;
  /** Default a minute. */
  readonly clusterHealthCheckPeriodMs?: number;
  /** Default 20. */
  readonly maxCustomClusterClaims?: number;
  readonly reservedClusterClaimSuffixes?: readonly string[];
  /** Only keys that start with `agent.open-cluster-management.io` are used. */
  readonly clusterAnnotations?: Readonly<Record<string, string>>;
  /** By their OCM names; OCM's defaults where unset. */
  readonly featureGates?: Readonly<Record<string, boolean>>;
}

/** The options with all defaults. */
export type ResolvedAgentOptions = Required<Omit<AgentOptions, 'clusterName' | 'agentName' | 'spokeCaBundle'>> &
  Pick<AgentOptions, 'clusterName' | 'agentName' | 'spokeCaBundle'>;

/** Fills in the defaults and refuses what cannot work, in OCM's words. */
export function resolveOptions(options: AgentOptions): ResolvedAgentOptions {
  const resolved: ResolvedAgentOptions = {
    hubKubeconfigSecret: SecretName.HubKubeconfig,
    spokeExternalServerUrls: [],
    clusterHealthCheckPeriodMs: 60_000,
    maxCustomClusterClaims: 20,
    reservedClusterClaimSuffixes: [],
    clusterAnnotations: {},
    featureGates: {},
    ...options,
  };
  for (const url of resolved.spokeExternalServerUrls) {
    if (URL.parse(url)?.protocol !== 'https:') {
      throw new KubeError('Config', `"${url}" is invalid`, {
        hint: 'Each of --spoke-external-server-urls must look like https://host:port.',
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
