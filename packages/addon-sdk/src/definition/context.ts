import type { ManagedCluster, ManagedClusterAddOn } from '@flotilla/api-types';
import type { EnvVar, ResourceRequirements, Toleration } from '@flotilla/kube/kinds';
import type { ConfigDeclarations, ResolvedConfigs } from './config.ts';

/** Where the agent runs: on the managed cluster, or on another one. */
export type InstallMode = 'Default' | 'Hosted';

/** What the functions of a definition are given: one add-on on one cluster. Objects are shared with the cache and must not be changed. */
export interface AddonContext<C extends ConfigDeclarations = ConfigDeclarations> {
  readonly cluster: ManagedCluster;
  readonly addon: ManagedClusterAddOn;
  /** What the cluster references, in the version that its rollout admits. */
  readonly configs: ResolvedConfigs<C>;
  readonly mode: InstallMode;
  /** In hosted mode, the managed cluster on which the agent runs. */
  readonly hostingCluster?: string;
  /** In hosted mode, that cluster, if the hub has it. */
  readonly host?: ManagedCluster;
  /** Aborts when the reconcile ends. */
  readonly signal: AbortSignal;
}

/** What an AddOnDeploymentConfig says about pods, ready to be spread into a pod's spec. */
export interface PodDefaults {
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: Toleration[];
}

/** What `render` is given. */
export interface RenderContext<C extends ConfigDeclarations = ConfigDeclarations> extends AddonContext<C> {
  readonly addonName: string;
  readonly clusterName: string;
  /** Where the agent, its lease and its credentials are. */
  readonly installNamespace: string;
  /** Names of Secrets in the install namespace. */
  readonly secrets: {
    /** Credentials for the hub's API; there if the definition has a kubeClient registration. */
    readonly hubKubeconfig: string;
    /** In hosted mode: access to the managed cluster, which the administrator provides. */
    readonly managedKubeconfig: string;
  };
  /**
   * The image from the mirror that the deployment config, or else the annotation of the cluster, names for it. In hosted mode that is
   * the cluster that hosts the agent: the managed one must not choose what runs there. For manifests of the managed cluster in
   * hosted mode, say so with `at`.
   */
  image(reference: string, options?: { readonly at?: 'managed' }): string;
  /** What the deployment config says about a container, by `<resource>:<workload>:<container>`; the last match wins. */
  resources(containerId: string): ResourceRequirements | undefined;
  /** Environment variables of the proxy, in both spellings; empty without one. */
  proxyEnv(): readonly EnvVar[];
  /** Node selector and tolerations of the deployment config. */
  podDefaults(): PodDefaults;
  /** Variables of the deployment config by name. */
  variables(): Readonly<Record<string, string>>;
  /** The JSON of the add-on's values annotation; `{}` without one. */
  values(): Readonly<Record<string, unknown>>;
}
