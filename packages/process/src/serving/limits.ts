const mebibyte = 1024 * 1024;

/**
 * All limits of the server of a process: webhooks, health, metrics. `docs/reference/server-limits.md` is this module for readers, and a spec
 * compares the two.
 */
export const serverLimits = {
  /** Objects in etcd are at most 1.5 MiB; a review has two. */
  maxReviewBytes: 8 * mebibyte,
  /** A list is converted at once. */
  maxConversionBytes: 64 * mebibyte,
  /** Of all requests of one route that are not answered yet: whoever reaches the port may send some. */
  maxHeldBytes: 128 * mebibyte,
  /** A client that sends nothing must not hold a socket for long. */
  headersTimeoutMs: 5_000,
  requestTimeoutMs: 10_000,
  keepAliveMs: 5_000,
  closeDeadlineMs: 2_000,
} as const;
