import {
  Label,
  LeaseName,
  type ManagedCluster,
  type ManagedClusterAddOn,
  type ManifestWork,
  managedClusterAddOns,
  managedClusters,
  manifestWorks,
} from '@flotilla/api-types';
import { managedClusterAddOnVersions } from '@flotilla/api-types/conversion';
import {
  type CachedResource,
  type Clock,
  createInformers,
  type Informers,
  type KubeClient,
  type Logger,
} from '@flotilla/kube';
import { withOlderVersion } from '@flotilla/kube/discovery';
import { type PartitionedResource, partition } from '@flotilla/kube/informer';
import {
  type CertificateSigningRequest,
  certificateSigningRequests,
  type Lease,
  leases,
  type Secret,
  secrets,
} from '@flotilla/kube/kinds';
import type { KitMetrics } from '@flotilla/kube/metrics';
import { withoutBody } from '@flotilla/registration-core/certificates';
import { memberSecretName } from '@flotilla/registration-core/push';

/** One watch of the hub for each kind, however many clusters are pushed. */
export interface HubCaches extends Disposable {
  readonly informers: Informers;
  readonly clusters: CachedResource<ManagedCluster>;
  readonly secrets: CachedResource<Secret>;
  readonly leases: CachedResource<Lease>;
  /** The requests for certificates of the add-ons of a cluster. Watched from the first call on: most add-ons have tokens. */
  requestsOf(clusterName: string): CachedResource<CertificateSigningRequest>;
  /** The same by cluster. */
  readonly byCluster: {
    readonly clusters: PartitionedResource<ManagedCluster>;
    readonly secrets: PartitionedResource<Secret>;
    readonly works: PartitionedResource<ManifestWork>;
    readonly addons: PartitionedResource<ManagedClusterAddOn>;
    readonly leases: PartitionedResource<Lease>;
  };
}

/** What the caches are opened with. */
export interface HubCachesOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics?: KitMetrics;
}

/** Of add-ons: those of agents are not of interest here. */
const requestLabels = `${Label.ClusterName},${Label.AddOnName}`;

/** Opens the caches. */
export function openHubCaches({ client, ...options }: HubCachesOptions): HubCaches {
  const informers = createInformers({ client: withOlderVersion(client, managedClusterAddOnVersions), ...options });
  const named = (name: string) => ({ fieldSelector: `metadata.name=${name}` });
  const clusters = informers.resource(managedClusters);
  const memberSecrets = informers.resource(secrets, named(memberSecretName));
  const heartbeats = informers.resource(leases, named(LeaseName.ManagedCluster));
  const byCluster = {
    clusters: partition(clusters),
    secrets: partition(memberSecrets),
    works: partition(informers.resource(manifestWorks)),
    addons: partition(informers.resource(managedClusterAddOns)),
    leases: partition(heartbeats),
  };
  let requests: PartitionedResource<CertificateSigningRequest> | undefined;
  const partitionRequests = () =>
    partition(
      informers.resource(certificateSigningRequests, { labelSelector: requestLabels, transform: withoutBody }),
      {
        label: Label.ClusterName,
      },
    );
  return {
    informers,
    clusters,
    secrets: memberSecrets,
    leases: heartbeats,
    byCluster,
    requestsOf(clusterName) {
      requests ??= partitionRequests();
      return requests.part(clusterName);
    },
    [Symbol.dispose]() {
      requests?.[Symbol.dispose]();
      for (const part of Object.values(byCluster)) part[Symbol.dispose]();
      informers.close();
    },
  };
}
