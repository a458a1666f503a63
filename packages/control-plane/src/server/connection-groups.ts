/** Connections by address or user; those of each group are in the order in which they came. */
export class ConnectionGroups<T> {
  readonly #groups = new Map<string, Set<T>>();
  #size = 0;

  /** The connections of all groups. */
  get size(): number {
    return this.#size;
  }

  of(group: string): ReadonlySet<T> {
    return this.#groups.get(group) ?? new Set();
  }

  /** The group with the most connections. */
  largest(): ReadonlySet<T> {
    let largest: ReadonlySet<T> = new Set();
    for (const group of this.#groups.values()) if (group.size > largest.size) largest = group;
    return largest;
  }

  add(group: string, connection: T): void {
    const members = this.#groups.get(group) ?? new Set();
    this.#groups.set(group, members.add(connection));
    this.#size++;
  }

  remove(group: string, connection: T): void {
    const members = this.#groups.get(group);
    if (!members?.delete(connection)) return;
    this.#size--;
    if (members.size === 0) this.#groups.delete(group);
  }
}
