import { type MonotonicTime, msBetween } from '@flotilla/kube/clock';
import type { AddOnNode } from './graph.policy.ts';

/** So long the manager of an add-on has to hash a configuration: most do so at once, and each cluster is written to once instead of twice. */
const graceMs = 2000;

/** Since when add-ons are without the hashes of configurations that their clusters shall get. */
export class HashWaits {
  readonly #since = new Map<string, MonotonicTime>();

  /** How long to wait until clusters get their configurations without hashes. What the spec of a cluster names is hashed only when it has it. */
  leftMs(name: string, nodes: readonly AddOnNode[], now: MonotonicTime): number {
    if (nodes.every(({ inherited }) => inherited.every(({ specHash }) => specHash))) {
      this.forget(name);
      return 0;
    }
    const since = this.#since.get(name) ?? now;
    this.#since.set(name, since);
    return Math.max(graceMs - msBetween(since, now), 0);
  }

  /** Another add-on of the name has two seconds again. */
  forget(name: string): void {
    this.#since.delete(name);
  }
}
