import type { ManagedClusterSet, Placement } from '@flotilla/api-types';
import { semanticEqual } from '@flotilla/kube/meta';
import { eligibleSets, memberTest } from '../scheduler/cluster-set.ts';
import type { ClusterView } from '../scheduler/cluster-view.ts';
import type { ClusterTable } from './cluster-table.ts';
import { Column } from './column.ts';
import type { PlacementSets } from './placement-entry.ts';

interface SetEntry {
  readonly set: ManagedClusterSet;
  readonly column: Column;
  /** Set if the selector cannot be understood. */
  readonly fault?: string;
}

/** Cluster sets with their members, and which of them are bound to which namespace. */
export class BoundSets {
  readonly #clusters: ClusterTable;
  readonly #sets = new Map<string, SetEntry>();
  /** Names of bindings by namespace. */
  readonly #bindings = new Map<string, Set<string>>();

  constructor(clusters: ClusterTable) {
    this.#clusters = clusters;
  }

  /** False if the members stay the same. */
  put(set: ManagedClusterSet): boolean {
    const name = set.metadata?.name ?? '';
    const known = this.#sets.get(name);
    if (known && semanticEqual(known.set.spec, set.spec)) return false;
    this.#sets.set(name, this.#entryOf(set));
    return true;
  }

  delete(name: string): boolean {
    return this.#sets.delete(name);
  }

  /** False if it was bound before. */
  bind(namespace: string, name: string): boolean {
    const names = this.#bindings.get(namespace) ?? new Set();
    if (names.has(name)) return false;
    this.#bindings.set(namespace, names.add(name));
    return true;
  }

  unbind(namespace: string, name: string): boolean {
    const names = this.#bindings.get(namespace);
    if (!names?.delete(name)) return false;
    if (names.size === 0) this.#bindings.delete(namespace);
    return true;
  }

  isBound(namespace: string, name: string): boolean {
    return this.#bindings.get(namespace)?.has(name) ?? false;
  }

  /** Tests the membership of a cluster again. */
  updateCluster(id: number, before: ClusterView | undefined, after: ClusterView | undefined): void {
    if (before && after && before.isDeleting === after.isDeleting && semanticEqual(before.labels, after.labels)) return;
    for (const { column } of this.#sets.values()) column.update(id, after);
  }

  /** The sets that a placement chooses from. */
  setsOf({ metadata, spec }: Placement): PlacementSets {
    const bound = this.#bindings.get(metadata?.namespace ?? '') ?? [];
    const { valid, eligible } = eligibleSets(bound, (name) => this.#sets.has(name), spec?.clusterSets);
    const entries = eligible.map((name) => this.#sets.get(name)).filter((entry) => entry !== undefined);
    const fault = entries.find((entry) => entry.fault)?.fault;
    return { valid, eligible, columns: entries.map(({ column }) => column), ...(fault && { fault }) };
  }

  #entryOf(set: ManagedClusterSet): SetEntry {
    try {
      const isMember = memberTest(set);
      const column = new Column((view) => !view.isDeleting && isMember(view));
      for (const id of this.#clusters.ids) column.update(id, this.#clusters.view(id));
      return { set, column };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const fault = `failed to get clusters from ClusterSet "${set.metadata?.name}": ${why}`;
      return { set, column: new Column(() => false), fault };
    }
  }
}
