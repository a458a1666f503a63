/** Tasks that wait, of which each owner has one at a time. */
export class TurnsOfOwners<T> {
  /** The owner whose turn it is comes first; none is without tasks. */
  readonly #tasks = new Map<string, Set<T>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(owner: string, task: T): void {
    const known = this.#tasks.get(owner);
    if (known) known.add(task);
    else this.#tasks.set(owner, new Set([task]));
    this.#size += 1;
  }

  delete(owner: string, task: T): void {
    const tasks = this.#tasks.get(owner);
    if (!tasks?.delete(task)) return;
    this.#size -= 1;
    if (tasks.size === 0) this.#tasks.delete(owner);
  }

  /** Takes the oldest task of the owner who has waited longest for a turn. */
  next(): T | undefined {
    for (const [owner, tasks] of this.#tasks) {
      for (const task of tasks) {
        this.delete(owner, task);
        this.#tasks.delete(owner);
        if (tasks.size > 0) this.#tasks.set(owner, tasks);
        return task;
      }
    }
    return undefined;
  }
}
