import type { AddOnPlacementScore } from '@flotilla/api-types';
import type { WallTime } from '@flotilla/kube/clock';
import { parseTime } from '@flotilla/kube/meta';
import type { ClusterTable } from './cluster-table.ts';
import { NumberColumn } from './number-column.ts';

type ScoreList = NonNullable<NonNullable<AddOnPlacementScore['status']>['scores']>;

/** The scores that one add-on keeps, by the ids of clusters. */
export interface ResourceScores {
  /** By cluster. */
  readonly lists: ReadonlyMap<number, ScoreList>;
  /** By the name of the score; 0 for clusters that have none. */
  readonly values: ReadonlyMap<string, NumberColumn>;
  /** Milliseconds since the epoch of the last moment at which the scores of a cluster count. */
  readonly validUntil: NumberColumn;
}

interface ResourceEntry extends ResourceScores {
  readonly lists: Map<number, ScoreList>;
  readonly values: Map<string, NumberColumn>;
  /** Not later than the first expiry. */
  nextExpiry: number;
}

const forEver = Number.POSITIVE_INFINITY;

/** AddOnPlacementScores by resource and cluster. */
export class ScoreTable {
  readonly #clusters: ClusterTable;
  readonly #resources = new Map<string, ResourceEntry>();
  /** Changes with each score. */
  version = 0;

  constructor(clusters: ClusterTable) {
    this.#clusters = clusters;
  }

  of(resource: string): ResourceScores | undefined {
    return this.#resources.get(resource);
  }

  /** False if that changed nothing. */
  put(resource: string, cluster: string, { status }: AddOnPlacementScore): boolean {
    const list = status?.scores ?? [];
    const validUntil = parseTime(status?.validUntil ?? undefined) ?? forEver;
    let entry = this.#resources.get(resource);
    if (!entry) {
      entry = { lists: new Map(), values: new Map(), validUntil: new NumberColumn(forEver), nextExpiry: forEver };
      this.#resources.set(resource, entry);
    }
    const id = this.#clusters.hold(cluster);
    const before = entry.lists.get(id);
    if (before && entry.validUntil.get(id) === validUntil && isSame(before, list)) {
      this.#clusters.release(id);
      return false;
    }
    if (before) this.#forget(entry, id, before);
    this.version += 1;
    entry.lists.set(id, list);
    for (const { name, value } of list) {
      const column = entry.values.get(name) ?? new NumberColumn(0);
      entry.values.set(name, column);
      column.set(id, value);
    }
    entry.validUntil.set(id, validUntil);
    entry.nextExpiry = Math.min(entry.nextExpiry, validUntil);
    return true;
  }

  delete(resource: string, cluster: string): void {
    const entry = this.#resources.get(resource);
    if (!entry) return;
    const id = this.#clusters.hold(cluster);
    const before = entry.lists.get(id);
    if (before) {
      this.#forget(entry, id, before);
      if (entry.lists.size === 0) this.#resources.delete(resource);
    }
    this.#clusters.release(id);
  }

  /** Reports the scores that expired between `before` and `now`, or count again because the clock was set back. */
  advance(before: WallTime, now: WallTime, changed: (resource: string, id: number) => void): void {
    const [earlier, later] = before < now ? [before, now] : [now, before];
    for (const [resource, entry] of this.#resources) {
      if (before <= now && now <= entry.nextExpiry) continue;
      entry.nextExpiry = forEver;
      for (const id of entry.lists.keys()) {
        const validUntil = entry.validUntil.get(id);
        if (validUntil >= now) entry.nextExpiry = Math.min(entry.nextExpiry, validUntil);
        if (validUntil >= earlier && validUntil < later) changed(resource, id);
      }
    }
  }

  #forget(entry: ResourceEntry, id: number, list: ScoreList): void {
    this.version += 1;
    for (const { name } of list) entry.values.get(name)?.set(id, 0);
    entry.validUntil.set(id, forEver);
    entry.lists.delete(id);
    this.#clusters.release(id);
  }
}

const isSame = (a: ScoreList, b: ScoreList): boolean =>
  a.length === b.length && a.every(({ name, value }, index) => name === b[index]?.name && value === b[index]?.value);
