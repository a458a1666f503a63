import type { PlacementToleration } from '@flotilla/api-types';
import type { WallTime } from '@flotilla/kube/clock';
import type { ClusterView } from '../scheduler/cluster-view.ts';
import { type Tolerance, toleranceOf, untainted } from '../scheduler/tolerations.ts';
import { BitSet } from './bit-set.ts';
import type { FlipListener } from './column.ts';

/** What a list of tolerations makes of the taints of each cluster. Only tainted clusters are kept. */
export class TolerationColumn {
  readonly tolerations: readonly PlacementToleration[];
  readonly listeners = new Set<FlipListener>();
  /** Clusters whose taints keep a placement from choosing them. */
  readonly refused = new BitSet();
  readonly #tainted = new Map<number, Tolerance>();
  /** Not later than the first deadline. */
  #nextDeadline = Number.POSITIVE_INFINITY;

  constructor(tolerations: readonly PlacementToleration[]) {
    this.tolerations = tolerations;
  }

  of(id: number): Tolerance {
    return this.#tainted.get(id) ?? untainted;
  }

  get tainted(): Iterable<[number, Tolerance]> {
    return this.#tainted;
  }

  /** Evaluates the taints of a cluster again; without a view, it is gone. */
  update(id: number, view: ClusterView | undefined, now: WallTime): void {
    const before = this.of(id);
    const after = view ? toleranceOf(this.tolerations, view.taints, now) : untainted;
    if (after === untainted) this.#tainted.delete(id);
    else this.#tainted.set(id, after);
    this.refused.set(id, !after.asNew);
    this.#nextDeadline = Math.min(this.#nextDeadline, after.deadline);
    if (isSame(before, after)) return;
    for (const listener of this.listeners) listener(id);
  }

  /** Evaluates again the clusters whose tolerations ended, or have not ended any more because the clock was set back. */
  advance(before: WallTime, now: WallTime, viewOf: (id: number) => ClusterView): void {
    const isBack = now < before;
    if (!isBack && now < this.#nextDeadline) return;
    this.#nextDeadline = Number.POSITIVE_INFINITY;
    for (const [id, { deadline }] of [...this.#tainted]) {
      if (isBack || deadline <= now) this.update(id, viewOf(id), now);
      else this.#nextDeadline = Math.min(this.#nextDeadline, deadline);
    }
  }
}

const isSame = (a: Tolerance, b: Tolerance): boolean =>
  a.asNew === b.asNew && a.asDecided === b.asDecided && a.isPreferred === b.isPreferred && a.deadline === b.deadline;
