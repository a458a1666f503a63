import { KubeError } from '@flotilla/kube';
import type { ClusterBudget } from '../budget/cluster-budget.ts';

/** A request of an add-on, which counts for its cluster until it is released. A watch counts as long as it is open. */
export class CountedRequest {
  readonly #budget: ClusterBudget;
  readonly #held: (() => void)[];
  #isOpen = true;

  /** Throws `TooManyRequests` if the add-ons of the cluster have too many under way, or send too many. */
  constructor(budget: ClusterBudget) {
    this.#budget = budget;
    this.#held = [budget.hold('forwards')];
    try {
      budget.take('forwarded');
    } catch (error) {
      this.release();
      throw error;
    }
  }

  /** Counts bytes of its body. Throws `TooManyRequests` if the bodies of the cluster are too large together. */
  hold(bytes: number): void {
    // One that was released while its body came is over.
    if (!this.#isOpen) throw new KubeError('Canceled', 'the request has ended');
    this.#held.push(this.#budget.hold('forwardBytes', bytes));
  }

  release(): void {
    this.#isOpen = false;
    for (const release of this.#held.splice(0)) release();
  }
}
