import { type Klusterlet, klusterlets, Label } from '@flotilla/api-types';
import {
  type AccessSource,
  type CachedResource,
  type Clock,
  type Informers,
  isDeleting,
  type KubeClient,
  type Logger,
  type ObjectKey,
} from '@flotilla/kube';
import { TimestampAges } from '@flotilla/kube/clock';
import { nodes } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import type { DefaultImages } from './config/images.ts';
import { agentNamespace } from './config/mode.ts';
import { HostedClusters } from './hosted/hosted-clusters.ts';
import { type KlusterletCluster, managementKinds, watchCluster } from './managed-cluster.ts';
import { type NamedSecrets, namedSecrets } from './named-secrets.ts';

/** How the operator was started. */
export interface KlusterletOperatorOptions {
  /** Of the operator, with the pull secret and the TLS profile that are copied. */
  readonly namespace: string;
  readonly images: DefaultImages;
  /** Replicas of agents that are not hosted; 0 for as many as the control plane nodes suggest. */
  readonly replicas: number;
  /** Which nodes are those of the control plane; empty for Kubernetes' labels. */
  readonly controlPlaneSelector: string;
  readonly managesAddOnNamespace: boolean;
  readonly grantsWorkPayloads: boolean;
  /** Whether objects get the labels of their Klusterlet. */
  readonly syncsLabels: boolean;
}

/** What the operator of klusterlets runs with. */
export interface KlusterletOperatorInput {
  /** The cluster of the operator. */
  readonly client: KubeClient;
  readonly informers: Informers;
  /** To managed clusters and hubs, by kubeconfigs of Secrets. */
  connect(access: AccessSource): KubeClient;
  readonly options: KlusterletOperatorOptions;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What its controllers share. */
export interface KlusterletDeps extends KlusterletOperatorInput {
  readonly klusterlets: CachedResource<Klusterlet>;
  /** The cluster of the operator. */
  readonly local: KlusterletCluster;
  readonly hosted: HostedClusters;
  readonly secrets: NamedSecrets;
  /** How long ago klusterlets were deleted: a clock that is set forward must not end what they wait for. */
  readonly deletions: TimestampAges;
  /** How long ago the managed clusters of deleted klusterlets went out of reach. */
  readonly outages: TimestampAges;
  /** Of the control plane, by each of the labels that tell. */
  readonly controlPlaneNodes: readonly CachedResource<KubeObject>[];
}

/** Opens the caches. */
export function klusterletDeps(input: KlusterletOperatorInput): KlusterletDeps {
  const { client, informers, options, connect, clock, log } = input;
  const selectors = options.controlPlaneSelector
    ? [options.controlPlaneSelector]
    : [Label.NodeRoleControlPlane, Label.NodeRoleMaster];
  return {
    ...input,
    klusterlets: informers.resource(klusterlets),
    local: watchCluster(client, informers, managementKinds),
    hosted: new HostedClusters({ connect, clock, log }),
    secrets: namedSecrets(informers),
    deletions: new TimestampAges(clock),
    outages: new TimestampAges(clock),
    controlPlaneNodes: selectors.map((labelSelector) => informers.metadata(nodes, { labelSelector })),
  };
}

/** The klusterlets whose agents run in a namespace. */
export const klusterletsIn =
  (cache: Pick<CachedResource<Klusterlet>, 'list'>) =>
  ({ metadata }: KubeObject): ObjectKey[] =>
    cache
      .list()
      .filter((klusterlet) => agentNamespace(klusterlet) === metadata?.namespace)
      .map((klusterlet) => klusterlet.metadata?.name ?? '');

/** All klusterlets: for a change that concerns each of them. */
export const allKlusterlets = (cache: Pick<CachedResource<Klusterlet>, 'list'>) => (): ObjectKey[] =>
  cache
    .list()
    .filter((klusterlet) => !isDeleting(klusterlet))
    .map((klusterlet) => klusterlet.metadata?.name ?? '');
