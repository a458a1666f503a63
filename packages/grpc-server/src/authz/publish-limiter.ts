import { type Clock, KubeError } from '@flotilla/kube';
import { TokenBucket } from '@flotilla/kube/transport';

/** More than what an agent of OCM sends at most: 50 a second for each of its data types, and a hundred at once. */
const perSecond = 500;
const burst = 2000;
/** So many clusters are remembered; one that is not has all of its burst. */
const maxClusters = 10_000;

/** Bounds how many events a cluster sends, so that one cluster does not take the API server from the others. */
export class PublishLimiter {
  readonly #clock: Clock;
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Throws `TooManyRequests` if the cluster has to wait. */
  take(clusterName: string): void {
    const now = this.#clock.monotonic();
    const bucket = this.#buckets.get(clusterName) ?? new TokenBucket(perSecond, burst, now);
    this.#buckets.delete(clusterName);
    this.#buckets.set(clusterName, bucket);
    for (const oldest of this.#buckets.keys()) {
      if (this.#buckets.size <= maxClusters) break;
      this.#buckets.delete(oldest);
    }
    if (bucket.take(now)) return;
    const message = `cluster ${clusterName} sends more than ${perSecond} events a second`;
    throw new KubeError('TooManyRequests', message, { status: 429 });
  }
}
