import type { KubeconfigUser } from '@flotilla/kube/kubeconfig';
import type { AgentDriver, PolicyRule } from '../contract/index.ts';
import { checkBootstrap } from './bootstrap-check.ts';
import { type KubeHubContext, kubeBootstraps } from './bootstraps.ts';
import { readClusterInfo } from './cluster-info.ts';
import { hubKubeconfig } from './hub-kubeconfig.ts';
import { type KubeCredentials, openConnection } from './open-connection.ts';

/** What distinguishes one auth type over the hub's API server from another. */
export interface KubeHubOptions {
  /** The user entry of the stored kubeconfig; paths in it name entries of the Secret. */
  readonly user: KubeconfigUser;
  readonly credentials: KubeCredentials;
  /** What the bootstrap user must be permitted beside ManagedClusters: the `rules.bootstrap` of the driver. */
  readonly bootstrapRules?: readonly PolicyRule[];
}

/** All of an agent driver that reaches the API server of its hub, but how it gets credentials. */
export type KubeHub = Omit<AgentDriver, 'evaluate' | 'start' | 'decorate' | 'close'> & { close(): void };

/** Reaches a hub at its API server: bootstraps by kubeconfigs, and stores a kubeconfig. */
export function kubeHub(context: KubeHubContext, { user, credentials, bootstrapRules = [] }: KubeHubOptions): KubeHub {
  const { clusterName } = context.identity;
  return {
    ...kubeBootstraps(context),
    ...hubKubeconfig(user),
    open: (endpoint, stored) => openConnection(context.connect, credentials, { endpoint, stored }),
    checkBootstrap: (hub, signal) => checkBootstrap(hub, { clusterName, rules: bootstrapRules, signal }),
    readHubInfo: readClusterInfo,
  };
}
