import { compareElements, encodeElement, type FieldPath, type PathElement } from './field-path.ts';

interface ChildSet {
  readonly element: PathElement;
  readonly set: FieldSet;
}

/**
 * A set of field paths as a tree. A path is a member on its own: owning `.spec.replicas` says nothing about owning `.spec`.
 * Sets are only changed by `insert` while they are built; the operations return new sets and may share branches.
 */
export class FieldSet {
  readonly #members = new Map<string, PathElement>();
  readonly #children = new Map<string, ChildSet>();

  static of(...paths: readonly FieldPath[]): FieldSet {
    const set = new FieldSet();
    for (const path of paths) set.insert(path);
    return set;
  }

  /** Adds a path, not its parents. Nobody owns the object as a whole, so the empty path is ignored. */
  insert(path: FieldPath): void {
    const last = path.at(-1);
    if (last === undefined) return;
    let set: FieldSet = this;
    for (const element of path.slice(0, -1)) set = set.#descend(element);
    set.#members.set(encodeElement(last), last);
  }

  /** Adds one child set, as the decoder does; nothing when it is empty. */
  insertChild(element: PathElement, set: FieldSet): void {
    if (!set.isEmpty) this.#children.set(encodeElement(element), { element, set });
  }

  #descend(element: PathElement): FieldSet {
    const spelling = encodeElement(element);
    const child = this.#children.get(spelling) ?? { element, set: new FieldSet() };
    this.#children.set(spelling, child);
    return child.set;
  }

  get isEmpty(): boolean {
    return this.#members.size === 0 && this.#children.size === 0;
  }

  has(path: FieldPath): boolean {
    const last = path.at(-1);
    if (last === undefined) return false;
    let set: FieldSet | undefined = this;
    for (const element of path.slice(0, -1)) set = set?.child(element);
    return set?.hasMember(last) ?? false;
  }

  hasMember(element: PathElement): boolean {
    return this.#members.has(encodeElement(element));
  }

  /** The paths below one element, or undefined when there are none. */
  child(element: PathElement): FieldSet | undefined {
    return this.#children.get(encodeElement(element))?.set;
  }

  get members(): Iterable<PathElement> {
    return this.#members.values();
  }

  get children(): Iterable<ChildSet> {
    return this.#children.values();
  }

  union(other: FieldSet): FieldSet {
    const result = this.#copy();
    for (const [spelling, element] of other.#members) result.#members.set(spelling, element);
    for (const [spelling, child] of other.#children) {
      const own = result.#children.get(spelling);
      result.#children.set(spelling, own ? { element: child.element, set: own.set.union(child.set) } : child);
    }
    return result;
  }

  intersection(other: FieldSet): FieldSet {
    const result = new FieldSet();
    for (const [spelling, element] of this.#members) {
      if (other.#members.has(spelling)) result.#members.set(spelling, element);
    }
    for (const [spelling, { element, set }] of this.#children) {
      const theirs = other.#children.get(spelling);
      if (theirs) result.insertChild(element, set.intersection(theirs.set));
    }
    return result;
  }

  /** Without the paths of the other set; what lies below such a path stays. */
  difference(other: FieldSet): FieldSet {
    const result = new FieldSet();
    for (const [spelling, element] of this.#members) {
      if (!other.#members.has(spelling)) result.#members.set(spelling, element);
    }
    for (const [spelling, { element, set }] of this.#children) {
      const theirs = other.#children.get(spelling);
      result.insertChild(element, theirs ? set.difference(theirs.set) : set);
    }
    return result;
  }

  /** Without the paths of the other set and everything below them. */
  recursiveDifference(other: FieldSet): FieldSet {
    const result = new FieldSet();
    for (const [spelling, element] of this.#members) {
      if (!other.#members.has(spelling)) result.#members.set(spelling, element);
    }
    for (const [spelling, { element, set }] of this.#children) {
      if (other.#members.has(spelling)) continue;
      const theirs = other.#children.get(spelling);
      result.insertChild(element, theirs ? set.recursiveDifference(theirs.set) : set);
    }
    return result;
  }

  equals(other: FieldSet): boolean {
    return this.difference(other).isEmpty && other.difference(this).isEmpty;
  }

  /** All paths: the members of a level before what lies below them, each in canonical order. */
  *paths(prefix: FieldPath = []): Generator<FieldPath> {
    for (const element of [...this.#members.values()].sort(compareElements)) yield [...prefix, element];
    for (const { element, set } of this.sortedChildren()) yield* set.paths([...prefix, element]);
  }

  sortedChildren(): ChildSet[] {
    return [...this.#children.values()].sort((a, b) => compareElements(a.element, b.element));
  }

  #copy(): FieldSet {
    const copy = new FieldSet();
    for (const [spelling, element] of this.#members) copy.#members.set(spelling, element);
    for (const [spelling, child] of this.#children) copy.#children.set(spelling, child);
    return copy;
  }
}
