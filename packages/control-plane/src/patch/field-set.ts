import { compareElements, encodeElement, type FieldPath, type PathElement } from './field-path.ts';

/** One element of a level: a member of the set, or the way to members below it, or both. */
export interface FieldNode {
  readonly element: PathElement;
  readonly isMember: boolean;
  /** Never empty. */
  readonly below?: FieldSet;
}

/**
 * A set of field paths as a tree. A path is a member on its own: owning `.spec.replicas` says nothing about owning `.spec`.
 * Sets are only changed by `insert` and `add` while they are built; the operations return new sets and may share branches.
 */
export class FieldSet {
  /** By the spelling of the element, which is the same for equal elements. */
  readonly #nodes = new Map<string, FieldNode>();

  static of(...paths: readonly FieldPath[]): FieldSet {
    const set = new FieldSet();
    for (const path of paths) set.insert(path);
    return set;
  }

  /** In halves: a union copies what it joins. */
  static unionOf(sets: readonly FieldSet[]): FieldSet {
    const [first = new FieldSet()] = sets;
    if (sets.length < 2) return first;
    const half = sets.length >>> 1;
    return FieldSet.unionOf(sets.slice(0, half)).union(FieldSet.unionOf(sets.slice(half)));
  }

  /** Adds a path, not its parents. The object as a whole has no owner, so the empty path is ignored. */
  insert(path: FieldPath, depth = 0): void {
    const element = path[depth];
    if (element === undefined) return;
    const spelling = encodeElement(element);
    const node = this.#nodes.get(spelling);
    if (depth === path.length - 1) {
      if (!node?.isMember) this.#nodes.set(spelling, { ...node, element, isMember: true });
      return;
    }
    const below = node?.below ?? new FieldSet();
    below.insert(path, depth + 1);
    if (below !== node?.below) this.#nodes.set(spelling, { element, isMember: node?.isMember ?? false, below });
  }

  /** Adds an element with all that is below it; what was there under this element is replaced. */
  add(element: PathElement, isMember: boolean, below?: FieldSet): void {
    this.#set(encodeElement(element), element, isMember, below);
  }

  #set(spelling: string, element: PathElement, isMember: boolean, below: FieldSet | undefined): void {
    if (below !== undefined && !below.isEmpty) this.#nodes.set(spelling, { element, isMember, below });
    else if (isMember) this.#nodes.set(spelling, { element, isMember });
  }

  get isEmpty(): boolean {
    return this.#nodes.size === 0;
  }

  /** The elements of this level, in no particular order. */
  get nodes(): Iterable<FieldNode> {
    return this.#nodes.values();
  }

  /** The elements of this level in canonical order. */
  sortedNodes(): FieldNode[] {
    return [...this.#nodes.values()].sort((a, b) => compareElements(a.element, b.element));
  }

  node(element: PathElement): FieldNode | undefined {
    return this.#nodes.get(encodeElement(element));
  }

  has(path: FieldPath): boolean {
    const [element, ...rest] = path;
    const node = element && this.node(element);
    return rest.length === 0 ? (node?.isMember ?? false) : (node?.below?.has(rest) ?? false);
  }

  union(other: FieldSet): FieldSet {
    if (this.isEmpty) return other;
    if (other.isEmpty) return this;
    const result = new FieldSet();
    for (const [spelling, node] of this.#nodes) result.#nodes.set(spelling, node);
    for (const [spelling, node] of other.#nodes) {
      const own = this.#nodes.get(spelling);
      const below = own?.below && node.below ? own.below.union(node.below) : (own?.below ?? node.below);
      result.#set(spelling, node.element, node.isMember || (own?.isMember ?? false), below);
    }
    return result;
  }

  intersection(other: FieldSet): FieldSet {
    const result = new FieldSet();
    for (const [spelling, { element, isMember, below }] of this.#nodes) {
      const theirs = other.#nodes.get(spelling);
      if (theirs)
        result.#set(spelling, element, isMember && theirs.isMember, theirs.below && below?.intersection(theirs.below));
    }
    return result;
  }

  /** Without the paths of the other set; what lies below such a path stays. */
  difference(other: FieldSet): FieldSet {
    const result = new FieldSet();
    for (const [spelling, { element, isMember, below }] of this.#nodes) {
      const theirs = other.#nodes.get(spelling);
      const left = theirs?.below ? below?.difference(theirs.below) : below;
      result.#set(spelling, element, isMember && !theirs?.isMember, left);
    }
    return result;
  }

  /** Without the paths of the other set and all paths below them. */
  recursiveDifference(other: FieldSet): FieldSet {
    const result = new FieldSet();
    for (const [spelling, { element, isMember, below }] of this.#nodes) {
      const theirs = other.#nodes.get(spelling);
      if (theirs?.isMember) continue;
      result.#set(spelling, element, isMember, theirs?.below ? below?.recursiveDifference(theirs.below) : below);
    }
    return result;
  }

  equals(other: FieldSet): boolean {
    return this.difference(other).isEmpty && other.difference(this).isEmpty;
  }

  /** All paths: the members of a level before what lies below them, each in canonical order. */
  *paths(prefix: FieldPath = []): Generator<FieldPath> {
    const nodes = this.sortedNodes();
    for (const { element, isMember } of nodes) if (isMember) yield [...prefix, element];
    for (const { element, below } of nodes) if (below) yield* below.paths([...prefix, element]);
  }
}
