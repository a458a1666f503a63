import type { ClusterView } from '../scheduler/cluster-view.ts';
import { NumberColumn } from './number-column.ts';

/**
 * Clusters by dense ids, so that columns are arrays and bit sets, and the ids in the order of names. Decisions and scores may name
 * clusters that are not there, or not any more: they hold the id of a name, which is not used for another until they release it.
 */
export class ClusterTable {
  /** Allocatable cores and bytes by id; NaN unless the cluster reports them. */
  readonly cpu = new NumberColumn(Number.NaN);
  readonly memory = new NumberColumn(Number.NaN);
  readonly #ids = new Map<string, number>();
  readonly #names: string[] = [];
  readonly #views: (ClusterView | undefined)[] = [];
  readonly #holders: number[] = [];
  readonly #free: number[] = [];
  /** Ids of clusters sorted by name; made when it is first asked for, so that a first list is sorted once. */
  #order: number[] | undefined;
  /** Changes with the clusters that are there. */
  orderVersion = 0;

  /** The id of a cluster that is there. */
  idOf(name: string): number | undefined {
    const id = this.#ids.get(name);
    return id !== undefined && this.#views[id] ? id : undefined;
  }

  view(id: number): ClusterView | undefined {
    return this.#views[id];
  }

  /** The view of a cluster that is known to be there. */
  viewOf(id: number): ClusterView {
    const view = this.#views[id];
    if (!view) throw new Error(`cluster id ${id} is not in use`);
    return view;
  }

  /** More than any id. */
  get size(): number {
    return this.#names.length;
  }

  /** The name of an id that is in use or held. */
  nameOf(id: number): string {
    const name = this.#names[id];
    if (name === undefined) throw new Error(`cluster id ${id} is not in use`);
    return name;
  }

  namesOf(ids: readonly number[]): string[] {
    return ids.map((id) => this.nameOf(id));
  }

  put(view: ClusterView): number {
    const id = this.#idFor(view.name);
    const isNew = !this.#views[id];
    this.#views[id] = view;
    this.cpu.set(id, view.cpu ?? Number.NaN);
    this.memory.set(id, view.memory ?? Number.NaN);
    if (isNew) {
      this.#order?.splice(this.#rankOf(view.name), 0, id);
      this.orderVersion += 1;
    }
    return id;
  }

  remove(id: number): void {
    this.#order?.splice(this.#rankOf(this.nameOf(id)), 1);
    this.orderVersion += 1;
    this.#views[id] = undefined;
    this.cpu.set(id, Number.NaN);
    this.memory.set(id, Number.NaN);
    this.#freeUnused(id);
  }

  /** The id of a name, whether there is such a cluster or not, until it is released as often as it was held. */
  hold(name: string): number {
    const id = this.#idFor(name);
    this.#holders[id] = (this.#holders[id] ?? 0) + 1;
    return id;
  }

  release(id: number): void {
    this.#holders[id] = (this.#holders[id] ?? 0) - 1;
    this.#freeUnused(id);
  }

  /** The ids of all clusters that are there, sorted by name as bytes. */
  get inNameOrder(): readonly number[] {
    this.#order ??= [...this.ids].sort((a, b) => (this.nameOf(a) < this.nameOf(b) ? -1 : 1));
    return this.#order;
  }

  /** The ids of all clusters that are there. */
  get ids(): Iterable<number> {
    return this.#ids.values().filter((id) => this.#views[id] !== undefined);
  }

  #idFor(name: string): number {
    const known = this.#ids.get(name);
    if (known !== undefined) return known;
    const id = this.#free.pop() ?? this.#names.length;
    this.#ids.set(name, id);
    this.#names[id] = name;
    this.#views[id] = undefined;
    this.#holders[id] = 0;
    return id;
  }

  #freeUnused(id: number): void {
    if (this.#views[id] || (this.#holders[id] ?? 0) > 0) return;
    this.#ids.delete(this.nameOf(id));
    this.#free.push(id);
  }

  /** The place of a name in the order: where it is, or where it belongs. */
  #rankOf(name: string): number {
    const order = this.#order ?? [];
    let low = 0;
    let high = order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.nameOf(order[middle] ?? 0) < name) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
