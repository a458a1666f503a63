import {
  Label,
  type ManagedCluster,
  type ManagedClusterAddOn,
  managedClusterAddOns,
  managedClusters,
} from '@flotilla/api-types';
import {
  type CertificateSigningRequest,
  certificateSigningRequests,
  events,
  type Event as KubeEvent,
  type Lease,
  leases,
} from '@flotilla/kube/kinds';
import { dataTypes } from '../event/data-type.ts';
import { objectCodec } from './object-codec.ts';

const namespaceOf = ({ metadata }: { metadata?: { namespace?: string } }) => metadata?.namespace;

/** ManagedClusters. */
export const managedClusterCodec = objectCodec<ManagedCluster>(
  dataTypes.managedClusters,
  managedClusters,
  ({ metadata }) => metadata?.name,
);

/** CertificateSigningRequests, which have no namespace: a label names the cluster. */
export const certificateSigningRequestCodec = objectCodec<CertificateSigningRequest>(
  dataTypes.certificateSigningRequests,
  certificateSigningRequests,
  ({ metadata }) => metadata?.labels?.[Label.ClusterName],
);

/** Leases: the heartbeats of clusters. */
export const leaseCodec = objectCodec<Lease>(dataTypes.leases, leases, namespaceOf);

/** Events of events.k8s.io. Agents publish them and never subscribe to them. */
export const eventCodec = objectCodec<KubeEvent>(dataTypes.events, events, namespaceOf);

/** ManagedClusterAddOns. */
export const managedClusterAddOnCodec = objectCodec<ManagedClusterAddOn>(
  dataTypes.managedClusterAddOns,
  managedClusterAddOns,
  namespaceOf,
);

/** ManagedClusterAddOns of the older version, a data type of its own. */
export const managedClusterAddOnV1Alpha1Codec = objectCodec<ManagedClusterAddOn>(
  dataTypes.managedClusterAddOnsV1Alpha1,
  { ...managedClusterAddOns, version: 'v1alpha1' },
  namespaceOf,
);
