import { type Clock, KubeError } from '@flotilla/kube';
import { TokenBucket } from '@flotilla/kube/transport';

/** What the add-ons of one cluster may ask for together. A watch counts as long as it is open. */
export interface ForwardLimits {
  readonly atOnce: number;
  readonly perSecond: number;
  readonly burst: number;
  /** Of the bodies of requests that are under way. */
  readonly heldBytes: number;
}

/** A request that counts until it is released. */
export interface CountedRequest {
  /** Counts bytes of its body as held. Throws `TooManyRequests` if the cluster holds too many. */
  hold(bytes: number): void;
  release(): void;
}

const defaultForwardLimits: ForwardLimits = {
  atOnce: 100,
  perSecond: 100,
  burst: 400,
  heldBytes: 16 * 1024 * 1024,
};

interface Use {
  readonly bucket: TokenBucket;
  open: number;
  heldBytes: number;
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

  /** Counts a request until it is released. Throws `TooManyRequests` if the cluster has to wait. */
  take(clusterName: string): CountedRequest {
    const { atOnce, perSecond, burst } = this.#limits;
    const now = this.#clock.monotonic();
    const use = this.#uses.get(clusterName) ?? {
      bucket: new TokenBucket(perSecond, burst, now),
      open: 0,
      heldBytes: 0,
    };
    this.#uses.delete(clusterName);
    this.#uses.set(clusterName, use);
    this.#forgetOldest();
    if (use.open >= atOnce) throw tooMany(`the add-ons of cluster ${clusterName} have ${atOnce} requests under way`);
    if (!use.bucket.take(now)) {
      throw tooMany(`the add-ons of cluster ${clusterName} send more than ${perSecond} requests a second`);
    }
    use.open += 1;
    return this.#counted(clusterName, use);
  }

  #counted(clusterName: string, use: Use): CountedRequest {
    const { heldBytes } = this.#limits;
    let isOpen = true;
    let held = 0;
    return {
      hold(bytes) {
        // One that was released while its body came is over.
        if (!isOpen) throw new KubeError('Canceled', 'the request has ended');
        if (use.heldBytes + bytes > heldBytes) {
          const message = `the add-ons of cluster ${clusterName} have requests of ${heldBytes} bytes under way`;
          throw tooMany(message, 'Send fewer large requests at once.');
        }
        use.heldBytes += bytes;
        held += bytes;
      },
      release() {
        if (!isOpen) return;
        isOpen = false;
        use.open -= 1;
        use.heldBytes -= held;
      },
    };
  }

  #forgetOldest(): void {
    for (const [name, { open }] of this.#uses) {
      if (this.#uses.size <= maxClusters) return;
      if (open === 0) this.#uses.delete(name);
    }
  }
}

const tooMany = (message: string, hint = 'Watch instead of reading again and again.'): KubeError =>
  new KubeError('TooManyRequests', message, { status: 429, hint });
