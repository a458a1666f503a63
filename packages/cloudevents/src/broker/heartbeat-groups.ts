import type { Clock } from '@flotilla/kube';
import type { CloudEvent } from '../event/cloud-event.ts';
import { createHeartbeat } from '../event/create-event.ts';

/** A stream that has heartbeats. */
export interface Beating {
  beat(heartbeat: CloudEvent): void;
}

interface Group {
  readonly streams: Set<Beating>;
  cancel(): void;
}

/**
 * Heartbeats of streams, at once for all of a cluster: these share a connection mostly, which sends them as one packet then. Most of what a
 * server with many idle agents does is this.
 */
export class HeartbeatGroups {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #groups = new Map<string, Group>();

  constructor(clock: Clock, everyMs: number) {
    this.#clock = clock;
    this.#everyMs = everyMs;
  }

  /** Adds a stream, which has its first heartbeat within one interval. Call the result when it has ended. */
  add(clusterName: string, stream: Beating): () => void {
    const group = this.#groups.get(clusterName) ?? this.#start(clusterName);
    group.streams.add(stream);
    return () => {
      group.streams.delete(stream);
      if (group.streams.size > 0 || this.#groups.get(clusterName) !== group) return;
      group.cancel();
      this.#groups.delete(clusterName);
    };
  }

  #start(clusterName: string): Group {
    const group: Group = { streams: new Set(), cancel: () => {} };
    const schedule = () => {
      group.cancel = this.#clock.schedule(this.#everyMs, () => {
        schedule();
        const heartbeat = createHeartbeat();
        for (const stream of group.streams) stream.beat(heartbeat);
      });
    };
    schedule();
    this.#groups.set(clusterName, group);
    return group;
  }
}
