import type { AppliedManifestWork, ManifestWorkStatus } from '@flotilla/api-types';
import type { ObjectState } from './object-state.ts';
import type { PlannedManifest } from './plan.ts';

/** What the agent remembers of a work between syncs. Losing it costs requests, never correctness. */
export interface WorkMemory {
  readonly uid: string | undefined;
  /** Parsed once for each generation. */
  plan: readonly PlannedManifest[];
  generation: number | undefined;
  /** By identity. */
  readonly objects: Map<string, ObjectState>;
  /** As created, until the cache has it. */
  appliedWork?: AppliedManifestWork;
  /** As last sent to the hub: an event with the same status is not a change. */
  writtenStatus?: ManifestWorkStatus;
  /** When a change of nothing but observations was last reported, by the monotonic clock. */
  observedAt?: number;
  /** Syncs in a row since the spec changed in which something failed that is not about one object. */
  failures: number;
  /** When the next of these is due, by the monotonic clock. */
  retryAt?: number;
  /** Uids of the objects whose deletion was requested. */
  requestedDeletions: ReadonlySet<string>;
}

/** The memory of all works, by key. */
export class WorkMemories {
  readonly #memories = new Map<string, WorkMemory>();

  get(key: string): WorkMemory | undefined {
    return this.#memories.get(key);
  }

  /** The memory of the work with this uid: one that was created later with the same name starts anew. */
  of(key: string, uid: string | undefined): WorkMemory {
    const known = this.#memories.get(key);
    if (known && known.uid === uid) return known;
    const memory: WorkMemory = {
      uid,
      plan: [],
      generation: undefined,
      objects: new Map(),
      failures: 0,
      requestedDeletions: new Set(),
    };
    this.#memories.set(key, memory);
    return memory;
  }

  delete(key: string): void {
    this.#memories.delete(key);
  }

  get size(): number {
    return this.#memories.size;
  }
}
