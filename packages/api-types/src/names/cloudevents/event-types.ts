import { composed } from '../composed.ts';
import { constantsOf, type NameTable } from '../name-table.ts';

const group = '[a-z0-9.-]+';
const part = '[a-z0-9]+';

export const dataTypeTable = {
  ManagedCluster: {
    value: 'cluster.open-cluster-management.io.v1.managedclusters',
    on: ['ManagedCluster'],
    meaning: 'Created and reported by the agent, received by it.',
  },
  CertificateSigningRequest: {
    value: 'certificates.k8s.io.v1.certificatesigningrequests',
    on: ['CertificateSigningRequest'],
    meaning: 'Created by the agent, received by it when approved and signed.',
  },
  Lease: { value: 'coordination.k8s.io.v1.leases', on: ['Lease'], meaning: 'Renewed by the agent, received by it.' },
  Event: { value: 'events.k8s.io.v1.events', on: ['Event'], meaning: 'Published by the agent, never received.' },
  ManagedClusterAddOn: {
    value: 'addon.open-cluster-management.io.v1beta1.managedclusteraddons',
    on: ['ManagedClusterAddOn'],
    meaning: 'Received by the agent, reported by it.',
  },
  ManagedClusterAddOnV1Alpha1: {
    value: 'addon.open-cluster-management.io.v1alpha1.managedclusteraddons',
    on: ['ManagedClusterAddOn'],
    meaning: 'The same for agents of earlier releases.',
  },
  ManifestBundle: {
    value: 'io.open-cluster-management.works.v1alpha1.manifestbundles',
    on: ['ManifestWork'],
    meaning: 'Works. Here the group is a reversed domain and not that of the kind.',
  },
  TokenRequest: {
    value: 'authentication.k8s.io.v1.tokenrequests',
    on: ['TokenRequest'],
    meaning: 'Created by the agent for an add-on, received with the token.',
  },
} as const satisfies NameTable;

export const subresourceTable = {
  Spec: { value: 'spec', on: [], meaning: 'What is wanted.' },
  Status: { value: 'status', on: [], meaning: 'What is.' },
} as const satisfies NameTable;

export const actionTable = {
  Create: { value: 'create_request', on: [], meaning: 'Create the object.' },
  Update: { value: 'update_request', on: [], meaning: 'Update the object.' },
  Delete: { value: 'delete_request', on: [], meaning: 'The object is deleted.' },
  ResyncRequest: { value: 'resync_request', on: [], meaning: 'Send what is newer than the list.' },
  ResyncResponse: { value: 'resync_response', on: [], meaning: 'One object in answer to that.' },
  Watch: { value: 'watch_request', on: [], meaning: 'Never sent: by it the server authorises a subscription.' },
} as const satisfies NameTable;

export const eventTypeTable = {
  DataType: composed('{group}.{version}.{resource}', [], 'What an event is about.', {
    group,
    version: part,
    resource: part,
  }),
  Event: composed(
    '{group}.{version}.{resource}.{subresource}.{action}',
    [],
    'Type of an event. It is read from the right, because a group has dots.',
    { group, version: part, resource: part, subresource: 'spec|status', action: '[a-z_]+' },
  ),
  Heartbeat: {
    value: 'io.open-cluster-management.cloudevents.heartbeat',
    on: [],
    meaning: 'Type of the events by which a server shows that a stream is alive.',
  },
} as const satisfies NameTable;

/** CloudEvents data types that the gRPC server serves. */
export const CloudEventsDataType = /* @__PURE__ */ constantsOf(dataTypeTable);

/** Half of the object that an event carries. */
export const CloudEventsSubresource = /* @__PURE__ */ constantsOf(subresourceTable);

/** What an event asks for. */
export const CloudEventsAction = /* @__PURE__ */ constantsOf(actionTable);

/** Forms of event types. */
export const CloudEventsType = /* @__PURE__ */ constantsOf(eventTypeTable);
