import type { ManagedCluster, ManagedClusterAddOn, ManifestConfigOption } from '@flotilla/api-types';
import type { ConfigDeclarations } from './config.ts';
import type { AddonContext, InstallMode, RenderContext } from './context.ts';
import type { HealthProber } from './health.ts';
import type { Awaitable, Manifest } from './manifest.ts';
import type { RegistrationDeclaration } from './registration.ts';

/**
 * A value, or a function that gives it for one add-on on one cluster. Written as a method, so that a definition with configs of its own
 * is a definition: the engine gives each function the configs that its own definition declares.
 */
export type PerAddon<T, C extends ConfigDeclarations = ConfigDeclarations> =
  | T
  | { of(context: AddonContext<C>): Awaitable<T> }['of'];

/** Where the agent of an add-on runs. */
export interface HostedInfo {
  readonly mode: InstallMode;
  /** Set in hosted mode. */
  readonly hostingCluster?: string;
}

/** An add-on: what it deploys on each cluster, what its agents need, and how its health is known. */
export interface AddonDefinition<C extends ConfigDeclarations = ConfigDeclarations> {
  /** That of its ClusterManagementAddOn, and of its ManagedClusterAddOn on each cluster. */
  readonly name: string;
  /** Kinds of configuration that it takes. */
  readonly configs?: C;
  /** All objects of one cluster, with hooks. Called once for each reconcile; what it throws becomes a condition of the add-on. */
  render(context: RenderContext<C>): Awaitable<readonly Manifest[]>;
  /** Credentials that the agents need; none by default. */
  readonly registration?: PerAddon<readonly RegistrationDeclaration[], C>;
  /** Namespace of the agent, its lease and its credentials. Default, also for an empty string: that of the ManagedClusterAddOn, or `open-cluster-management-agent-addon`. */
  readonly installNamespace?: PerAddon<string | undefined, C>;
  /** Default: the Lease that the agent renews, without a word about it in the status. */
  readonly health?: PerAddon<HealthProber | undefined, C>;
  /** Update strategies and feedback of single manifests. */
  readonly manifestConfigs?: PerAddon<readonly ManifestConfigOption[], C>;
  /** True: an annotation of the ManagedClusterAddOn names the cluster that hosts the agent. A function decides otherwise. Default: false. */
  readonly hosted?: boolean | ((addon: ManagedClusterAddOn, cluster: ManagedCluster) => HostedInfo);
  /** Renders only once the hub has admitted the configuration of the cluster. Default: false. */
  readonly configCheckEnabled?: boolean;
  /** Deploys only where the ManagedClusterAddOn references an AddOnTemplate whose hash is known. Default: false. */
  readonly templateMode?: boolean;
  /** Whether a change of a cluster renders its add-on again. Default: never. */
  clusterFilter?(previous: ManagedCluster, current: ManagedCluster): boolean;
}
