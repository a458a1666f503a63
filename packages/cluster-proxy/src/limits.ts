/*
 * All limits of the API by which clusters are reached, on the hub and in agents. `docs/reference/server-limits.md` is this module for readers,
 * and a spec compares the two.
 */

const mebibyte = 1024 * 1024;

/** How many requests may be under way on a replica of the hub. Flags change it. */
export interface RequestLimits {
  readonly perCluster: number;
  readonly perUser: number;
}

/** The limits of a hub that sets none. */
export const defaultLimits: RequestLimits = { perCluster: 400, perUser: 100 };

const maxBodyBytes = 16 * mebibyte;
const sessionWindowBytes = 8 * mebibyte;

/** What whoever reaches the API server of a cluster holds: its agent, or the hub for a pushed one. */
export const memberLimits = {
  /** API servers take 3 MiB. Uploads through the proxy of a pod or service may be larger. */
  maxBodyBytes,
  /** Of all requests to one cluster together: hundreds may be under way, and none is sent before it has arrived whole. */
  maxBufferedBytes: 8 * maxBodyBytes,
  /** An API server gives up a request after a minute by itself. */
  headDeadlineMs: 65_000,
} as const;

/** What passes a tunnel. */
export const tunnelLimits = {
  /** As many requests of the hub as an agent answers at once. */
  maxTunnelStreams: 500,
  /** Bytes of one body that may be under way: what a request gets in one round trip to the cluster. */
  streamWindowBytes: mebibyte,
  /** Bytes of all bodies together that may be under way. The protocol's default is 64 KiB for all users of a cluster. */
  sessionWindowBytes,
  /** Bytes that may wait for a side that does not read: the bodies that may be under way, and frames without a body. */
  maxUnsentBytes: 2 * sessionWindowBytes,
  /** More than an API server takes to answer, less than kubectl waits. */
  tunnelHeadMs: 70_000,
  /** Often enough for load balancers that drop idle connections after a minute. */
  pingEveryMs: 15_000,
  pingTimeoutMs: 10_000,
} as const;

/** What a replica of the hub holds. */
export const replicaLimits = {
  /** For an answer of another replica, which has a deadline of its own. */
  peerHeadMs: 75_000,
  /** Longer than API servers keep idle connections, so that none is closed in the moment that it is used. */
  keepAliveTimeoutMs: 150_000,
} as const;
