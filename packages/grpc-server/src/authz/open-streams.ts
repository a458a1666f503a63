import { type Clock, KubeError } from '@flotilla/kube';

/** A stream and how to decide anew whether it may stay open. */
interface OpenStream {
  readonly recheck: () => Promise<void>;
  readonly end: AbortController;
  cancelTimer: () => void;
}

/**
 * The streams that are open, by cluster. Each is checked anew from time to time and when its cluster changes: whoever loses the right to a
 * stream loses the stream.
 */
export class OpenStreams {
  readonly #clock: Clock;
  readonly #byCluster = new Map<string, Set<OpenStream>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Watches over a stream. `recheck` throws when it must end. The result aborts then; `stop` when the stream has ended by itself. */
  add(clusterName: string, everyMs: number, recheck: () => Promise<void>): { revoked: AbortSignal; stop: () => void } {
    const stream: OpenStream = { recheck, end: new AbortController(), cancelTimer: () => {} };
    const streams = this.#byCluster.get(clusterName) ?? new Set();
    this.#byCluster.set(clusterName, streams.add(stream));
    const schedule = () => {
      stream.cancelTimer = this.#clock.schedule(everyMs, () => {
        schedule();
        this.#check(stream);
      });
    };
    schedule();
    const stop = () => {
      stream.cancelTimer();
      streams.delete(stream);
      if (streams.size === 0 && this.#byCluster.get(clusterName) === streams) this.#byCluster.delete(clusterName);
    };
    stream.end.signal.addEventListener('abort', stop, { once: true });
    return { revoked: stream.end.signal, stop };
  }

  /** Checks all streams of a cluster now. */
  recheck(clusterName: string): void {
    for (const stream of this.#byCluster.get(clusterName) ?? []) this.#check(stream);
  }

  /** How many streams are open. */
  get size(): number {
    let count = 0;
    for (const streams of this.#byCluster.values()) count += streams.size;
    return count;
  }

  #check({ recheck, end }: OpenStream): void {
    recheck().catch((error: unknown) => {
      // While the API server does not answer, streams stay open.
      if (KubeError.is(error, 'Unauthorized', 'Forbidden')) end.abort(error);
    });
  }
}
