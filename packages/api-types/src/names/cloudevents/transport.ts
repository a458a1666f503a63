import { composed, formatted } from '../composed.ts';
import { constantsOf, type NameTable } from '../name-table.ts';

export const sourceTable = {
  Kube: { value: 'kube', on: [], meaning: 'The gRPC server of OCM.' },
  ResyncDeletion: { value: 'source', on: [], meaning: 'The gRPC server, for objects it does not have any more.' },
  ReplicaSetController: {
    value: 'mwrsctrl',
    on: [],
    meaning: 'The hub work controller as a source for other brokers.',
  },
} as const satisfies NameTable;

export const clientIdTable = {
  WorkAgent: composed(
    '{cluster}-work-agent',
    ['Klusterlet'],
    'Work agent. The registration agent uses the cluster name.',
  ),
  SingletonAgent: composed('{cluster}-klusterlet-agent', ['Klusterlet'], 'Work half of the singleton agent.'),
  WorkController: composed('work-controller-{pod}', ['ClusterManager'], 'Hub work controller.'),
  MqttClient: composed('{clientId}-client', [], 'The connection of an agent to an MQTT broker.'),
} as const satisfies NameTable;

export const grpcTable = {
  Package: { value: 'io.cloudevents.v1', on: [], meaning: 'Protobuf package.' },
  Service: { value: 'io.cloudevents.v1.CloudEventService', on: [], meaning: 'The only service.' },
  Publish: { value: '/io.cloudevents.v1.CloudEventService/Publish', on: [], meaning: 'Sends one event.' },
  Subscribe: { value: '/io.cloudevents.v1.CloudEventService/Subscribe', on: [], meaning: 'Streams events.' },
  SubscriptionId: {
    value: 'subscription-id',
    on: [],
    meaning: 'Initial metadata of a stream; it must come before any event.',
  },
  Authorization: { value: 'authorization', on: [], meaning: 'Metadata with a bearer token.' },
} as const satisfies NameTable;

export const mqttTopicTable = {
  SourceEvents: composed('sources/{source}/clusters/{cluster}/sourceevents', [], 'From a source to an agent.'),
  AgentEvents: composed('sources/{source}/clusters/{cluster}/agentevents', [], 'From an agent to a source.'),
  SourceBroadcast: composed('sources/{source}/sourcebroadcast', [], 'From a source to all agents.'),
  AgentBroadcast: composed('clusters/{cluster}/agentbroadcast', [], 'From an agent to all sources.'),
} as const satisfies NameTable;

export const workUidTable = {
  SourceWork: formatted(
    '{source}-manifestworks.work.open-cluster-management.io-{namespace}-{name}',
    ['ManifestWork'],
    'The text whose UUIDv5 in the OID namespace is the UID of a work of another source than a Kubernetes hub.',
  ),
} as const satisfies NameTable;

export const errorReasonTable = {
  PublishError: {
    value: 'PublishError',
    on: [],
    meaning: 'API status reason of anything that went wrong in publishing and is no API error itself; code 500.',
  },
} as const satisfies NameTable;

/** Sources of events. */
export const CloudEventsSource = /* @__PURE__ */ constantsOf(sourceTable);

/** Client ids, which are the sources of what agents publish. */
export const CloudEventsClientId = /* @__PURE__ */ constantsOf(clientIdTable);

/** Names of the gRPC interface. */
export const CloudEventsGrpc = /* @__PURE__ */ constantsOf(grpcTable);

/** MQTT topics; a part may be the wild card `+`. */
export const MqttTopic = /* @__PURE__ */ constantsOf(mqttTopicTable);

/** Inputs of UIDs. */
export const UidInput = /* @__PURE__ */ constantsOf(workUidTable);

/** Reasons of errors that the transport adds to those of Kubernetes. */
export const TransportErrorReason = /* @__PURE__ */ constantsOf(errorReasonTable);
