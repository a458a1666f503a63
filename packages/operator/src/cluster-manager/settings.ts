import type { RegistrationDrivers } from '@flotilla/install';
import type { Clock, KubeClient, Logger } from '@flotilla/kube';
import type { KitMetrics } from '@flotilla/kube/metrics';

/** An auth type by which clusters may register, as far as it states the rights that it needs. */
export type OperatedDriver = RegistrationDrivers[number] & { readonly authType: string };

/** What does not depend on a ClusterManager. */
export interface HubOperatorSettings {
  /** Of the operator: pull credentials and the TLS profile are there. */
  readonly namespace: string;
  /** Our image of the hub, for ClusterManagers that name no image of their own. */
  readonly hubImage: string;
  /** Image of the agents that the importer installs. */
  readonly agentImage?: string;
  readonly drivers: readonly OperatedDriver[];
  /** Copies labels of the ClusterManager to its objects. */
  readonly syncLabels: boolean;
  /** 0: derived from the number of nodes. */
  readonly replicas: number;
  readonly nodeSelector: string;
  /** Definitions stay when a ClusterManager is deleted, and with them all objects of their kinds. */
  readonly keepsDefinitions: boolean;
  /** How long certificates live: that of the authority, and those of servers. */
  readonly lifetimes?: { readonly authorityMs: number; readonly servingMs: number };
}

/** What the controller works with. */
export interface HubOperatorDeps {
  readonly settings: HubOperatorSettings;
  /** Of the cluster where ClusterManagers are. */
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics?: KitMetrics;
}
