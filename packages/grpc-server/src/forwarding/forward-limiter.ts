import { type Clock, KubeError } from '@flotilla/kube';
import { TokenBucket } from '@flotilla/kube/transport';

/** What the add-ons of one cluster may ask for together. A watch counts as long as it is open. */
export interface ForwardLimits {
  readonly atOnce: number;
  readonly perSecond: number;
  readonly burst: number;
}

const defaultForwardLimits: ForwardLimits = { atOnce: 100, perSecond: 100, burst: 400 };

interface Use {
  readonly bucket: TokenBucket;
  open: number;
}

/** So many clusters without an open request are remembered; one that is not has all of its burst. */
const maxClusters = 10_000;

/** Bounds what the add-ons of a cluster ask for, so that they do not take the API server from others. */
export class ForwardLimiter {
  readonly #clock: Clock;
  readonly #limits: ForwardLimits;
  readonly #uses = new Map<string, Use>();

  constructor(clock: Clock, limits: ForwardLimits = defaultForwardLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Counts a request until the result is called. Throws `TooManyRequests` if the cluster has to wait. */
  take(clusterName: string): () => void {
    const { atOnce, perSecond, burst } = this.#limits;
    const now = this.#clock.monotonic();
    const use = this.#uses.get(clusterName) ?? { bucket: new TokenBucket(perSecond, burst, now), open: 0 };
    this.#uses.delete(clusterName);
    this.#uses.set(clusterName, use);
    this.#forgetOldest();
    if (use.open >= atOnce) throw tooMany(`the add-ons of cluster ${clusterName} have ${atOnce} requests under way`);
    if (!use.bucket.take(now)) {
      throw tooMany(`the add-ons of cluster ${clusterName} send more than ${perSecond} requests a second`);
    }
    use.open += 1;
    let isOpen = true;
    return () => {
      if (isOpen) use.open -= 1;
      isOpen = false;
    };
  }

  #forgetOldest(): void {
    for (const [name, { open }] of this.#uses) {
      if (this.#uses.size <= maxClusters) return;
      if (open === 0) this.#uses.delete(name);
    }
  }
}

const tooMany = (message: string): KubeError =>
  new KubeError('TooManyRequests', message, { status: 429, hint: 'Watch instead of reading again and again.' });
