import type { Clock, Informers, KubeClient, Logger } from '@flotilla/kube';
import type { KitMetrics } from '@flotilla/kube/metrics';
import type { PlacementOf } from '../configs/chosen-configs.ts';
import type { AddonDefinition } from '../definition/addon-definition.ts';

/** What runs add-ons on a hub. */
export interface AddonEngineInput {
  /** Of the hub. One that serves add-ons as v1alpha1 only is fine. */
  readonly client: KubeClient;
  /** Caches of the same client, to share; on a hub that may be older, of one made by `withServedVersions`. Default: caches of its own, which `close` ends. */
  readonly informers?: Informers;
  /** Restricts the cache of works to these add-ons. Default: works of all add-ons, as definitions may be added at run time. */
  readonly only?: readonly string[];
  /**
   * Knows which placement decides about a cluster; to be given by who reads decisions. Default: a cluster may have the configurations of any
   * placement of the add-on.
   */
  readonly placementOf?: PlacementOf;
  readonly clock?: Clock;
  readonly log?: Logger;
  readonly metrics?: KitMetrics;
  /** In [0, 1), for the jitter of back-offs. */
  readonly random?: () => number;
  /** Serialized manifests in one ManifestWork, in bytes. Default: 409600, as in OCM. */
  readonly workBudget?: number;
}

/** A definition that runs. */
export interface RunningAddon {
  readonly name: string;
  /** Ends its controllers, and resolves when they are drained. */
  stop(): Promise<void>;
  /** Resolves when its controllers have ended; rejects if a cache could not be synced. */
  readonly ended: Promise<void>;
}

/** Runs definitions of add-ons on one hub. They start and stop at any time, and share their caches. */
export interface AddonEngine extends AsyncDisposable {
  /** Runs a definition until it is stopped or the signal aborts. Throws if one of this name runs. */
  start(addon: AddonDefinition, options?: { readonly signal?: AbortSignal }): RunningAddon;
  /** Reconciles an add-on of a cluster although no object changed: its deployment and its registration. */
  trigger(cluster: string, addon: string): void;
  /** Names of the definitions that run. */
  readonly running: readonly string[];
  /** Stops all of them, and the caches that are its own. */
  close(): Promise<void>;
}
