import type { ServerOptions } from '@grpc/grpc-js';
import type { EventServerLimits } from '../limits.ts';

/** A stream that is to be reopened has time to notify its reader. */
const ageGraceMs = 5000;

/** The limits for the gRPC library. */
export const serverOptions = (limits: EventServerLimits): ServerOptions => ({
  'grpc.keepalive_time_ms': limits.pingIntervalMs,
  'grpc.keepalive_timeout_ms': limits.pingTimeoutMs,
  'grpc.max_concurrent_streams': limits.maxStreamsPerConnection,
  'grpc.max_receive_message_length': limits.maxMessageBytes,
  'grpc.max_send_message_length': limits.maxSendBytes,
  'grpc.enable_channelz': 0,
  'grpc.max_connection_age_ms': limits.maxConnectionAgeMs,
  'grpc.max_connection_age_grace_ms': ageGraceMs,
});
