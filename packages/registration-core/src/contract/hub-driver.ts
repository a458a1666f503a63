import type { ManagedCluster } from '@flotilla/api-types';
import type { Clock, Controller, Informers, KubeClient, Logger } from '@flotilla/kube';
import type { ClusterRole, ClusterRoleBinding } from '@flotilla/kube/kinds';

/** A rule of RBAC. */
export type PolicyRule = NonNullable<ClusterRole['rules']>[number];

/** A user, group or ServiceAccount of a binding. */
export type PolicySubject = NonNullable<ClusterRoleBinding['subjects']>[number];

/** What every driver is made with, on the side of the hub. */
export interface HubDriverContext<O> {
  /** The values of the driver's own flags. */
  readonly options: O;
  readonly client: KubeClient;
  readonly informers: Informers;
  /** Feature gates by their OCM names. */
  readonly gates: Readonly<Record<string, boolean>>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Aborts when the hub stops; what the driver starts ends with it. */
  readonly signal: AbortSignal;
}

/** What a driver says about a cluster that asks to join. */
export type AcceptDecision =
  /** It is of this auth type, and may be accepted without an administrator. */
  | 'accept'
  /** It is of this auth type, and an administrator has to decide. */
  | 'refuse'
  /** It is of another auth type. */
  | 'not mine';

/** How far a driver got with something that may take minutes. */
export type Progress =
  | {
      readonly kind: 'done';
      /** Calls again then although nothing changed, to find drift in what is outside of the hub. Default: never. */
      readonly checkAfterMs?: number;
    }
  /** Something outside of the hub has yet to happen; `why` becomes a condition of the ManagedCluster. */
  | { readonly kind: 'waiting'; readonly why: string; readonly checkAfterMs: number };

/** What a driver makes for a cluster outside of the hub's API, such as a role of a cloud. */
export interface ExternalPermissions {
  /**
   * Called for an accepted cluster that `accepts` claims, in a queue of the driver's own, when the cluster changes or stops reporting,
   * and when a check is due. Must be safe to repeat. Errors are repeated with back-off, and their message becomes a condition of the
   * ManagedCluster.
   */
  create(cluster: ManagedCluster, signal: AbortSignal): Promise<Progress>;
  /**
   * Called for a denied cluster, and for a deleted one when its works are gone, until it is done: a finalizer keeps the ManagedCluster
   * until then. Must be safe to repeat, also for a cluster for which nothing was made, and must not touch what belongs to another one.
   */
  remove(cluster: ManagedCluster, signal: AbortSignal): Promise<Progress>;
}

/** The hub's side of an auth type. The pure methods are called again and again for the same cluster. */
export interface HubDriver {
  /** Controllers that run beside the core's, such as the approval of requests. */
  readonly controllers: readonly Controller[];
  /** Whether this cluster may be accepted without an administrator. With auto-approval one driver must accept, and none refuse. Pure. */
  accepts(cluster: ManagedCluster): AcceptDecision;
  /**
   * Who the agents of a cluster are. The core binds the roles of a cluster to them if it was accepted by this auth type: when
   * `accepts` claimed it, or by another driver whose subjects are the same. Pure.
   */
  subjects(clusterName: string): readonly PolicySubject[];
  /** What the agents of an accepted cluster may do for this auth type, beside what the core permits. Pure. */
  clusterRules(clusterName: string): readonly PolicyRule[];
  /** Absent if the auth type needs nothing outside of the hub's API. */
  readonly external?: ExternalPermissions;
  /** Called once, when the hub has stopped. */
  close?(): void | Promise<void>;
}
