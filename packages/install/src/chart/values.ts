import type { ClusterManagerSpec, KlusterletSpec } from '@flotilla/api-types';
import type { Deployment } from '@flotilla/kube/kinds';

type PodSpec = NonNullable<NonNullable<Deployment['spec']>['template']['spec']>;
type Container = PodSpec['containers'][number];

/** Which images are run, and how they are pulled. */
export interface ImageValues<Component extends string> {
  /** Without a slash at its end. */
  readonly registry: string;
  /** Empty: the version of the chart. */
  readonly tag: string;
  readonly imagePullPolicy: 'Always' | 'IfNotPresent' | 'Never';
  /** Whole names of images, which win over registry and tag. Empty: no override. */
  readonly overrides: Readonly<Record<Component, string>>;
  readonly imageCredentials: ImageCredentials;
}

/** What the pull secret is made of. */
export interface ImageCredentials {
  readonly createImageCredentials: boolean;
  readonly userName: string;
  readonly password: string;
  /** The content of a Docker configuration file, if there are no user name and password. */
  readonly dockerConfigJson: string;
}

/** How the operator itself runs. */
export interface OperatorValues {
  readonly replicaCount: number;
  readonly podSecurityContext: NonNullable<PodSpec['securityContext']>;
  readonly securityContext: NonNullable<Container['securityContext']>;
  readonly resources: NonNullable<Container['resources']>;
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly tolerations: NonNullable<PodSpec['tolerations']>;
  readonly affinity: NonNullable<PodSpec['affinity']>;
  /** Whether labels of the ClusterManager or Klusterlet go to what the operator makes for it. */
  readonly enableSyncLabels: boolean;
  /** Replicas of each program that the operator runs; 0: derived from the number of nodes. */
  readonly deploymentReplicas: number;
  /** Further arguments of the operator, such as `--skip-remove-crds`. */
  readonly extraArgs: readonly string[];
  /** Of the pods of the operator. Empty: that of the cluster. */
  readonly priorityClassName: string;
  /** Whether drains evict one pod of the operator at a time. */
  readonly podDisruptionBudget: { readonly enabled: boolean };
  /** Whether only the port of health and metrics of the operator admits connections. */
  readonly networkPolicy: { readonly enabled: boolean };
}

/** One object of a monitoring stack, which some clusters have. */
export interface MonitorValues {
  readonly enabled: boolean;
  /** By which the stack selects the object. */
  readonly labels: Readonly<Record<string, string>>;
}

/** What is made for Prometheus and Grafana. */
export interface MonitoringValues {
  readonly serviceMonitor: MonitorValues & { readonly interval: string };
  readonly prometheusRule: MonitorValues;
  readonly grafanaDashboard: MonitorValues;
}

type HubComponent = 'registrationImage' | 'workImage' | 'placementImage' | 'addOnManagerImage' | 'operatorImage';

/** The ClusterManager that the chart creates. */
export interface ClusterManagerValuesOfChart
  extends Required<
    Pick<
      ClusterManagerSpec,
      | 'registrationConfiguration'
      | 'workConfiguration'
      | 'addOnManagerConfiguration'
      | 'placementConfiguration'
      | 'serverConfiguration'
      | 'resourceRequirement'
      | 'nodePlacement'
    >
  > {
  readonly create: boolean;
  readonly mode: 'Default' | 'Hosted';
}

/** The values of the chart `cluster-manager`: those of OCM's, and `bootstrapToken` and `monitoring`. */
export interface ClusterManagerChartValues extends OperatorValues {
  readonly images: ImageValues<HubComponent>;
  /** A bootstrap token for new clusters, which are then approved by ManagedClusterAutoApproval. */
  readonly createBootstrapToken: boolean;
  /** A service account whose tokens are for new clusters, likewise. */
  readonly createBootstrapSA: boolean;
  /** Of the bootstrap token. Empty: the one that there is, or a new one that lives for a day. */
  readonly bootstrapToken: { readonly secret: string; readonly expiration: string };
  readonly clusterManager: ClusterManagerValuesOfChart;
  readonly monitoring: MonitoringValues;
}

type AgentComponent = 'registrationImage' | 'workImage' | 'singletonImage' | 'operatorImage' | 'awsCliImage';

/** The Klusterlet that the chart creates. */
export interface KlusterletValuesOfChart
  extends Required<
    Pick<
      KlusterletSpec,
      'externalServerURLs' | 'nodePlacement' | 'resourceRequirement' | 'registrationConfiguration' | 'workConfiguration'
    >
  > {
  readonly create: boolean;
  readonly mode: 'Default' | 'Singleton' | 'Hosted' | 'SingletonHosted';
  /** Empty: `klusterlet`, and `klusterlet-<clusterName>` in the hosted modes. */
  readonly name: string;
  readonly clusterName: string;
  /** Empty: `open-cluster-management-agent`, and `open-cluster-management-<clusterName>` in the hosted modes. */
  readonly namespace: string;
  /** A fixed address for the name of the hub; none if it has no name. */
  readonly hubApiServerHostAlias: Partial<NonNullable<KlusterletSpec['hubApiServerHostAlias']>>;
}

/** The values of the chart `klusterlet`: those of OCM's, and `singletonImage` and `awsCliImage` of `images.overrides`, and `monitoring`. */
export interface KlusterletChartValues extends OperatorValues {
  readonly images: ImageValues<AgentComponent>;
  /** Kubeconfig by which the cluster requests to join. */
  readonly bootstrapHubKubeConfig: string;
  /** The same for hubs that are reached by gRPC: `config.yaml` of the bootstrap secret. */
  readonly grpcConfig: string;
  /** For the gate MultipleHubs: a secret for each hub. */
  readonly multiHubBootstrapHubKubeConfigs: readonly { readonly name: string; readonly kubeConfig: string }[];
  /** Kubeconfig of the managed cluster, in the hosted modes. */
  readonly externalManagedKubeConfig: string;
  /** Only the Klusterlet and what it needs: an operator runs already. */
  readonly noOperator: boolean;
  readonly klusterlet: KlusterletValuesOfChart;
  readonly monitoring: Pick<MonitoringValues, 'serviceMonitor'>;
}

/** Values as users give them: what is left out has its default. */
export type GivenValues<T> = {
  readonly [K in keyof T]?: T[K] extends readonly unknown[] ? T[K] : T[K] extends object ? GivenValues<T[K]> : T[K];
};
