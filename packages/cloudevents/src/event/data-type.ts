import { MalformedEvent, quoted } from './malformed.ts';

/** What an event is about: `<group>.<version>.<resource>`. The group may contain dots. */
export interface DataType {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** Writes a data type as it is on the wire. */
export const formatDataType = ({ group, version, resource }: DataType): string => `${group}.${version}.${resource}`;

/** Reads a data type from the right: resource, version, and the rest is the group. */
export function parseDataType(text: string): DataType {
  const parts = text.split('.');
  const resource = parts.pop();
  const version = parts.pop();
  const group = parts.join('.');
  if (!resource || !version || !group) {
    throw new MalformedEvent(`data type ${quoted(text)} is not <group>.<version>.<resource>`);
  }
  return { group, version, resource };
}

/** The data types of Open Cluster Management's gRPC server. */
export const dataTypes = {
  managedClusters: dataType('cluster.open-cluster-management.io', 'v1', 'managedclusters'),
  certificateSigningRequests: dataType('certificates.k8s.io', 'v1', 'certificatesigningrequests'),
  leases: dataType('coordination.k8s.io', 'v1', 'leases'),
  events: dataType('events.k8s.io', 'v1', 'events'),
  managedClusterAddOns: dataType('addon.open-cluster-management.io', 'v1beta1', 'managedclusteraddons'),
  managedClusterAddOnsV1Alpha1: dataType('addon.open-cluster-management.io', 'v1alpha1', 'managedclusteraddons'),
  /** ManifestWorks. Their group is not that of the API. */
  manifestBundles: dataType('io.open-cluster-management.works', 'v1alpha1', 'manifestbundles'),
  tokenRequests: dataType('authentication.k8s.io', 'v1', 'tokenrequests'),
} as const;

function dataType(group: string, version: string, resource: string): DataType {
  return { group, version, resource };
}
