import type { ManagedCluster } from '@flotilla/api-types';
import type { Clock, Controller, Informers, KubeClient, Logger } from '@flotilla/kube';

/** What every hub driver is made with. */
export interface HubDriverContext<O> {
  readonly options: O;
  readonly client: KubeClient;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly log: Logger;
  /** Feature gates by their OCM names. */
  readonly gates: Readonly<Record<string, boolean>>;
}

/**
 * The hub's side of an auth type. Methods are called by the acceptance controller, again and again for the same cluster:
 * each must be safe to repeat, and must leave alone the clusters that use another auth type.
 */
export interface HubDriver {
  /** Controllers to run beside the core's, such as the approval of requests. */
  readonly controllers: readonly Controller[];
  /** After the admin accepted: whatever the cluster needs beyond the core's RBAC. */
  createPermissions(cluster: ManagedCluster): Promise<void>;
  /** After denial and while the cluster is being deleted. Called twice must be as good as once. */
  cleanUp(cluster: ManagedCluster): Promise<void>;
  /** Under the auto-approval gate: whether this cluster may be accepted without an admin. True for clusters that are not its own. */
  accepts(cluster: ManagedCluster): boolean;
}
