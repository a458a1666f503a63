import type { KubeError } from '../errors/kube-error.ts';
import type { KubeRequest } from './transport.ts';

/** How often a request is sent again, and with which delays. */
export interface RetryOptions {
  /** Tries after the first. */
  maxRetries: number;
  /** Before the first retry; doubles with each, up to `maxDelayMs`. */
  baseDelayMs: number;
  maxDelayMs: number;
}

/** Sends for at most about six seconds: long enough for a failover, short enough for a controller to report. */
export const defaultRetry: RetryOptions = { maxRetries: 6, baseDelayMs: 100, maxDelayMs: 5_000 };

/** A try that failed. */
export interface FailedTry {
  request: Pick<KubeRequest, 'method' | 'repeatable'>;
  error: KubeError;
  /** Whether the server may have acted on it. False for a connection that was never made, REFUSED_STREAM, or above GOAWAY. */
  maybeProcessed: boolean;
  /** Retries done so far. */
  retries: number;
  options: RetryOptions;
  /** 0 ≤ x < 1 */
  random: () => number;
}

/** Why a request is sent again, for the metric. */
export type RetryReason = 'connection' | 'throttled' | 'server-error';

/** When to send again, and why. */
export interface RetryDecision {
  delayMs: number;
  reason: RetryReason;
}

/** Sent twice, these leave the server as if sent once; a caller may know the same of its POST or PATCH. */
const isRepeatable = ({ method, repeatable }: FailedTry['request']): boolean =>
  repeatable ?? (method === 'GET' || method === 'HEAD' || method === 'PUT' || method === 'DELETE');

/**
 * Whether and when to send again:
 * - a request that the server certainly did not act on: always;
 * - 429 or 5xx with Retry-After: always, because the server turned it away and asks for it again;
 * - a lost connection, 429 without Retry-After (as for an eviction that a budget forbids), 500, 502, 503 and 504:
 *   only what is safe to repeat;
 * - all else is final. A retry does not fix a failure of TLS or credentials.
 */
export function decideRetry({
  request,
  error,
  maybeProcessed,
  retries,
  options,
  random,
}: FailedTry): RetryDecision | undefined {
  if (retries >= options.maxRetries) return undefined;
  const backoff = jitter(Math.min(options.baseDelayMs * 2 ** retries, options.maxDelayMs), random());
  const { status } = error;
  if (status === undefined) {
    if (error.code !== 'Unavailable' || (maybeProcessed && !isRepeatable(request))) return undefined;
    // The first reconnection needs no pause: a closed session is the usual way a server restarts or rotates.
    return { delayMs: retries === 0 ? jitter(options.baseDelayMs / 10, random()) : backoff, reason: 'connection' };
  }
  const reason = status === 429 ? 'throttled' : status >= 500 ? 'server-error' : undefined;
  if (!reason) return undefined;
  if (error.retryAfterMs !== undefined) {
    // Spread clients that got the same Retry-After.
    return { delayMs: error.retryAfterMs + backoff - options.baseDelayMs / 2, reason };
  }
  const isTransient = status === 429 || status === 500 || (status >= 502 && status <= 504);
  return isTransient && isRepeatable(request) ? { delayMs: backoff, reason } : undefined;
}

/** Between half and the whole of it. */
const jitter = (ms: number, random: number): number => ms * (0.5 + random / 2);
