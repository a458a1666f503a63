import { composed } from './composed.ts';
import { constantsOf, type NameTable } from './name-table.ts';

export const metricTable = {
  SchedulingDuration: {
    value: 'scheduling_scheduling_duration_seconds',
    on: ['Placement'],
    meaning: 'Time to select clusters.',
  },
  BindDuration: { value: 'scheduling_bind_duration_seconds', on: ['Placement'], meaning: 'Time to write decisions.' },
  PluginDuration: { value: 'scheduling_plugin_duration_seconds', on: ['Placement'], meaning: 'Time of one plugin.' },
  CelDuration: { value: 'scheduling_cel_runtime_duration_seconds', on: ['Placement'], meaning: 'Time of CEL.' },
  PatcherOperations: { value: 'patcher_operations_total', on: ['*'], meaning: 'Patches sent.' },
  PatcherDuration: { value: 'patcher_operation_duration_seconds', on: ['*'], meaning: 'Time of patches.' },
  GrpcConnections: { value: 'grpc_server_active_connections', on: [], meaning: 'Open connections.' },
  GrpcReceivedBytes: { value: 'grpc_server_msg_received_bytes_total', on: [], meaning: 'Bytes received.' },
  GrpcSentBytes: { value: 'grpc_server_msg_sent_bytes_total', on: [], meaning: 'Bytes sent.' },
  GrpcStarted: { value: 'grpc_server_started_total', on: [], meaning: 'Calls begun.' },
  GrpcReceived: { value: 'grpc_server_msg_received_total', on: [], meaning: 'Messages received.' },
  GrpcSent: { value: 'grpc_server_msg_sent_total', on: [], meaning: 'Messages sent.' },
  GrpcHandled: { value: 'grpc_server_handled_total', on: [], meaning: 'Calls ended, by code.' },
  GrpcHandling: { value: 'grpc_server_handling_seconds', on: [], meaning: 'Time of calls.' },
  GrpcSubscribers: { value: 'grpc_server_ce_subscribers', on: [], meaning: 'Open subscriptions by cluster.' },
  GrpcCalled: { value: 'grpc_server_ce_called_total', on: [], meaning: 'Calls by cluster and data type.' },
  GrpcEventsReceived: { value: 'grpc_server_ce_msg_received_total', on: [], meaning: 'Events received by cluster.' },
  GrpcEventsSent: { value: 'grpc_server_ce_msg_sent_total', on: [], meaning: 'Events sent by cluster.' },
  GrpcEventsProcessed: { value: 'grpc_server_ce_processed_total', on: [], meaning: 'Events handled, by code.' },
  // One proposal says processed_duration; the server says processing_duration.
  GrpcProcessing: { value: 'grpc_server_ce_processing_duration_seconds', on: [], meaning: 'Time to handle events.' },
  CloudEventsReceived: { value: 'cloudevents_received_total', on: [], meaning: 'Events that a client received.' },
  CloudEventsSent: { value: 'cloudevents_sent_total', on: [], meaning: 'Events that a client sent.' },
  CloudEventsReconnected: { value: 'cloudevents_client_reconnected_total', on: [], meaning: 'Reconnections.' },
  SpecResync: { value: 'resources_spec_resync_duration_seconds', on: [], meaning: 'Time to resync specs.' },
  StatusResync: { value: 'resources_status_resync_duration_seconds', on: [], meaning: 'Time to resync statuses.' },
  WorksProcessed: { value: 'manifestworks_processed_total', on: ['ManifestWork'], meaning: 'Works handled.' },
  BuildInfo: composed('{namespace}_build_info', [], 'Version; the namespace has underscores for dashes.'),
} as const satisfies NameTable;

/** Metrics that OCM's processes have beyond those of Kubernetes' libraries. */
export const MetricName = /* @__PURE__ */ constantsOf(metricTable);
