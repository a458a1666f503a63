/** What callers can make this server hold, and for how long. Each value is listed in docs/reference/control-plane-limits.md. */
export interface Limits {
  /** Of one request, as kube-apiserver: a larger body is refused before it is read to its end. */
  readonly maxBodyBytes: number;
  /** The same for YAML that is not JSON: it takes far longer to read, and nothing else is done meanwhile. */
  readonly maxYamlBytes: number;
  /** A body that takes longer is refused. */
  readonly bodyTimeoutMs: number;
  /** So is one that arrives slower than this after the grace: who trickles must not hold what others need. */
  readonly minBodyBytesPerSecond: number;
  readonly bodyGraceMs: number;
  /** Bodies in memory: what was read for requests that are not answered yet. */
  readonly maxBodiesBytes: number;
  readonly maxBodiesBytesPerUser: number;
  /** What each user gets although others hold the total: one body of the maximal size. */
  readonly minBodiesBytesPerUser: number;
  /** How far these minima may exceed the total together. The same below. */
  readonly maxReservedBodiesBytes: number;
  /** Requests that are not answered yet, other than streams: as kube-apiserver, 400 that read and 200 that write. */
  readonly maxRequests: number;
  readonly maxRequestsPerUser: number;
  readonly minRequestsPerUser: number;
  readonly maxReservedRequests: number;
  /** Watches, logs that are followed, and streams of pods. */
  readonly maxStreams: number;
  readonly maxStreamsPerUser: number;
  /** Answers that are not sent yet; of watches what is ready to be sent. */
  readonly maxAnswersBytes: number;
  readonly maxAnswersBytesPerUser: number;
  readonly minAnswersBytesPerUser: number;
  readonly maxReservedAnswersBytes: number;
  /** A reader that takes nothing for so long is cut off. */
  readonly slowReaderMs: number;
  /** So is one of an answer that no other limit counts, such as 401 and 429, and a stream or connection that does not end when it is closed. */
  readonly closeGraceMs: number;
  /** Changes that a watch has not sent yet; a reader that is further behind is cut off, and resumes. */
  readonly maxWatchBacklog: number;
  /** Changes that are kept for watches that resume, with their JSON. Beyond it the oldest are dropped, and a watch from before gets 410. */
  readonly maxHistoryBytes: number;
  readonly maxConnections: number;
  /** Beyond it the oldest that is idle is closed for a new one. */
  readonly maxConnectionsPerUser: number;
  /** Connections whose client has shown no valid credential yet. For a new one the oldest of the address that has the most is closed. */
  readonly maxUnauthenticatedConnections: number;
  readonly maxStreamsPerConnection: number;
  /** The same until the client has shown a valid credential: clients of HTTP/2 expect no fewer. */
  readonly maxUnauthenticatedStreamsPerConnection: number;
  /** What a client may send on one stream before it is read. */
  readonly streamWindowBytes: number;
  /** The same until the client has shown a valid credential. */
  readonly unauthenticatedStreamWindowBytes: number;
  /** A connection that carries no request for so long is closed, as kube-apiserver does. */
  readonly idleConnectionMs: number;
  /** A client that has not finished the TLS handshake by then is cut off. */
  readonly handshakeTimeoutMs: number;
}

const mebibyte = 1024 * 1024;

/** The limits of every control plane. */
export const defaultLimits: Limits = {
  maxBodyBytes: 3 * mebibyte,
  maxYamlBytes: 64 * 1024,
  bodyTimeoutMs: 60_000,
  minBodyBytesPerSecond: 16 * 1024,
  bodyGraceMs: 10_000,
  maxBodiesBytes: 64 * mebibyte,
  maxBodiesBytesPerUser: 16 * mebibyte,
  minBodiesBytesPerUser: 3 * mebibyte,
  maxReservedBodiesBytes: 192 * mebibyte,
  maxRequests: 600,
  maxRequestsPerUser: 200,
  minRequestsPerUser: 8,
  maxReservedRequests: 600,
  maxStreams: 20_000,
  maxStreamsPerUser: 2_000,
  maxAnswersBytes: 256 * mebibyte,
  maxAnswersBytesPerUser: 64 * mebibyte,
  minAnswersBytesPerUser: 8 * mebibyte,
  maxReservedAnswersBytes: 256 * mebibyte,
  slowReaderMs: 60_000,
  closeGraceMs: 2_000,
  maxWatchBacklog: 10_000,
  maxHistoryBytes: 128 * mebibyte,
  maxConnections: 10_000,
  maxConnectionsPerUser: 1_000,
  maxUnauthenticatedConnections: 500,
  maxStreamsPerConnection: 1_000,
  maxUnauthenticatedStreamsPerConnection: 100,
  streamWindowBytes: mebibyte / 4,
  unauthenticatedStreamWindowBytes: 16 * 1024,
  idleConnectionMs: 90_000,
  handshakeTimeoutMs: 10_000,
};
