import { KubeError } from '@flotilla/kube';
import type { RequestLimits } from '../limits.ts';

/** Counts requests under way, so that neither one user nor one cluster that hangs takes all that the hub has. */
export class RequestCounter {
  readonly #limits: RequestLimits;
  readonly #counts = new Map<string, number>();

  constructor(limits: RequestLimits) {
    this.#limits = limits;
  }

  /** Counts one more. Call the result once when it has ended. Throws `TooManyRequests` if there are as many as may be. */
  take(cluster: string, user: string): () => void {
    const { perCluster, perUser } = this.#limits;
    const keys = [
      [cluster, perCluster, `of cluster ${cluster}`],
      [`${cluster}\n${user}`, perUser, `of user ${user} to cluster ${cluster}`],
    ] as const;
    for (const [key, limit, what] of keys) {
      if ((this.#counts.get(key) ?? 0) < limit) continue;
      const message = `${limit} requests ${what} are under way, which is the limit. End some, or try again later.`;
      throw new KubeError('TooManyRequests', message, { status: 429 });
    }
    for (const [key] of keys) this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    return () => {
      for (const [key] of keys) {
        const left = (this.#counts.get(key) ?? 1) - 1;
        if (left > 0) this.#counts.set(key, left);
        else this.#counts.delete(key);
      }
    };
  }
}
