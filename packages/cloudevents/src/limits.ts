import type { ConnectionLimits } from './server/connections.ts';

/*
 * All limits of the server for what its clients can grow, but those of each cluster, which whoever serves it sets. A spec of
 * `@flotilla/grpc-server` compares them with `docs/reference/grpc-server-limits.md`.
 */

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

/** What one event, call or stream cannot exceed. */
export const callLimits = {
  /** Characters of the id of an event, and of an object in a resync: uids have 36, and what waits for a reader is kept by them. */
  maxIdLength: 253,
  /** Objects that one resync is about. */
  maxKnownObjects: 20_000,
  /** Manifests that one report is about: more than fit into a ManifestWork with their statuses. */
  maxReportedManifests: 5000,
  /** Answers that are kept for events that come again. A sender that sends more loses this for its own events. */
  maxRecentEvents: 2000,
  /** Longer than a client tries to publish an event. */
  recentEventsMs: 60_000,
  /** Events that the library has for one reader, and bytes of them: each may have a megabyte. What waits beyond is not encoded yet. */
  maxUnsentEvents: 16,
  maxUnsentBytes: 256 * 1024,
  /** A frame of a forwarded request or a tunnel. A head has a path of 16 KiB. */
  maxFrameBytes: 128 * 1024,
  /** The message of a call, once it has its turn: callers have it at hand. */
  receiveTimeoutMs: 30_000,
  /** The head of a forwarded request or a tunnel. */
  headTimeoutMs: 10_000,
  /** A caller that reads nothing of the answer to its request. */
  stallTimeoutMs: 30_000,
  /** The body of a forwarded request, as long as a request may take altogether. */
  bodyTimeoutMs: 65_000,
} as const;
