import type { AppliedManifestWork, ManifestResourceMeta, ManifestWorkStatus } from '@flotilla/api-types';
import type { ManifestFailure } from '../apply/failure.ts';
import type { Target } from '../manifest.ts';
import type { Observation } from '../status/observation.ts';
import type { PlannedManifest } from './plan.ts';

/** What the agent knows of one object of a work since it last looked at it; the object itself is not kept. */
export interface ObjectRecord {
  readonly target: Target;
  readonly meta: ManifestResourceMeta;
  /** What was applied and how: another value means that the hub wants something else. */
  readonly intent: string;
  /** It was only looked at: whether it is as the manifest says is not known. */
  readonly isFrozen: boolean;
  /** Of the version that was looked at; undefined if there was no object. */
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  /** What the rules said about that version. */
  readonly observation?: Observation;
  /** Which rules these were. */
  readonly rules?: string;
  readonly failure?: ManifestFailure;
  /** When changes of others were undone, by the monotonic clock. */
  readonly repairs: readonly number[];
  /** Until then changes of others are left alone. */
  readonly pausedUntil?: number;
}

/** What the agent remembers of a work between passes. Losing it costs requests, never correctness. */
export interface WorkMemory {
  readonly uid: string | undefined;
  /** Parsed once for each generation. */
  plan: readonly PlannedManifest[];
  generation: number | undefined;
  readonly records: Map<string, ObjectRecord>;
  /** As created, until the cache has it. */
  appliedWork?: AppliedManifestWork;
  /** As last sent to the hub: an event that says the same is an echo. */
  writtenStatus?: ManifestWorkStatus;
  /** Passes in a row that failed since the spec changed. */
  failures: number;
  /** Deletions that were asked for, by uid. */
  readonly deletions: Set<string>;
}

/** The memory of all works, by key. */
export class WorkMemories {
  readonly #memories = new Map<string, WorkMemory>();

  get(key: string): WorkMemory | undefined {
    return this.#memories.get(key);
  }

  /** The memory of this very work: a namesake that was created later starts anew. */
  of(key: string, uid: string | undefined): WorkMemory {
    const known = this.#memories.get(key);
    if (known && known.uid === uid) return known;
    const memory: WorkMemory = {
      uid,
      plan: [],
      generation: undefined,
      records: new Map(),
      failures: 0,
      deletions: new Set(),
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
