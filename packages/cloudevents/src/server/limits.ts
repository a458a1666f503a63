import type { ServerOptions } from '@grpc/grpc-js';
import type { ConnectionLimits } from './connections.ts';

/** What one client cannot exceed, so that the others notice nothing of it. */
export interface EventServerLimits extends ConnectionLimits {
  readonly maxConnections: number;
  readonly maxStreamsPerConnection: number;
  /** The largest event that is received, and the largest that is sent. */
  readonly maxMessageBytes: number;
  readonly maxSendBytes: number;
  readonly handshakeTimeoutMs: number;
  /** A connection ends at this age, give or take a tenth, so that clients spread over all replicas. */
  readonly maxConnectionAgeMs: number;
  /** A client that does not answer a ping in time is gone. */
  readonly pingIntervalMs: number;
  readonly pingTimeoutMs: number;
}

/** A client that does not answer is noticed within 30 s. */
export const defaultLimits: EventServerLimits = {
  maxConnections: 10_000,
  // Clients call at once. An address may be that of a load balancer, behind which all clients are.
  idleConnectionMs: 30_000,
  maxPendingPerAddress: 1000,
  maxPending: 2500,
  // Events need a dozen; what an add-on watches is one each.
  maxStreamsPerConnection: 250,
  maxMessageBytes: 4 * 1024 * 1024,
  maxSendBytes: 2 ** 31 - 1,
  handshakeTimeoutMs: 20_000,
  // After a rolling restart all clients are on the replica that was restarted first.
  maxConnectionAgeMs: 2 * 3_600_000,
  pingIntervalMs: 20_000,
  pingTimeoutMs: 10_000,
};

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
