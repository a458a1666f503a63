import { type DataType, type EventServerObserver, formatDataType } from '@flotilla/cloudevents';
import type { Metrics } from '@flotilla/process';

const service = 'io.cloudevents.v1.CloudEventService';
/** Steps of ten from a microsecond, as in OCM. */
const buckets = Array.from({ length: 10 }, (_, power) => 1e-6 * 10 ** power);

/**
 * Metrics of the gRPC server under the names of OCM. Only the number of subscribers has a label with the cluster: with one for each
 * cluster, every other metric would have thousands of series.
 */
export function grpcServerObserver(metrics: Metrics): EventServerObserver {
  const connections = metrics.gauge({
    name: 'grpc_server_active_connections',
    help: 'Connections that are open.',
    labels: [],
  });
  const handledTotal = metrics.counter({
    name: 'grpc_server_handled_total',
    help: 'Calls that have ended, by method and status.',
    labels: ['grpc_type', 'grpc_service', 'grpc_method', 'grpc_code'],
  });
  const subscribers = metrics.gauge({
    name: 'grpc_server_ce_subscribers',
    help: 'Streams that are open, by cluster and data type.',
    labels: ['consumer', 'data_type'],
  });
  const sent = metrics.counter({
    name: 'grpc_server_ce_msg_sent_total',
    help: 'Events that were written to streams.',
    labels: ['data_type', 'method'],
  });
  const processed = metrics.counter({
    name: 'grpc_server_ce_processed_total',
    help: 'Events and subscriptions that were handled, by status.',
    labels: ['data_type', 'method', 'grpc_code'],
  });
  const durations = metrics.histogram({
    name: 'grpc_server_ce_processing_duration_seconds',
    help: 'How long it took to handle an event of an agent.',
    labels: ['data_type', 'method', 'grpc_code'],
    buckets,
  });
  const labelOf = (dataType: DataType | undefined) => (dataType ? formatDataType(dataType) : 'unknown');
  return {
    connections: (open) => connections.set({}, open),
    subscribers(consumer, dataType, open) {
      const labels = { consumer, data_type: labelOf(dataType) };
      if (open > 0) subscribers.set(labels, open);
      else subscribers.forget(labels);
    },
    sent: (dataType) => sent.add({ data_type: labelOf(dataType), method: 'Subscribe' }),
    handled({ method, dataType, code, seconds }) {
      const type = method === 'Publish' ? 'unary' : 'server_stream';
      handledTotal.add({ grpc_type: type, grpc_service: service, grpc_method: method, grpc_code: code });
      const labels = { data_type: labelOf(dataType), method, grpc_code: code };
      processed.add(labels);
      if (method === 'Publish') durations.observe(labels, seconds);
    },
  };
}
