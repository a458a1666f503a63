import type { ObjectKey } from '@flotilla/kube';
import type { KubeObject, OwnerReference } from '@flotilla/schema';
import type { StorageResource } from '../../contracts/storage.ts';
import type { ObjectChange } from '../object-feed.ts';

/** An object as the collector sees it: its resource, its owners, and how it is being deleted. */
export interface Node {
  readonly uid: string;
  readonly storage: StorageResource;
  readonly key: ObjectKey;
  readonly owners: readonly OwnerReference[];
  readonly deletion: 'none' | 'ordinary' | 'foreground' | 'orphan';
}

export const foregroundFinalizer = 'foregroundDeletion';
export const orphanFinalizer = 'orphan';

/** How an object is being deleted, according to its finalizers. */
export function deletionOf({ metadata }: KubeObject): Node['deletion'] {
  if (metadata?.deletionTimestamp === undefined) return 'none';
  if (metadata.finalizers?.includes(orphanFinalizer)) return 'orphan';
  return metadata.finalizers?.includes(foregroundFinalizer) ? 'foreground' : 'ordinary';
}

/** Objects and their owners by uid. Objects without owners and dependents cost one entry. */
export class OwnerGraph {
  readonly #nodes = new Map<string, Node>();
  readonly #dependents = new Map<string, Set<string>>();

  node(uid: string): Node | undefined {
    return this.#nodes.get(uid);
  }

  dependentsOf(uid: string): Node[] {
    return [...(this.#dependents.get(uid) ?? [])].flatMap((dependent) => this.#nodes.get(dependent) ?? []);
  }

  /** Records a change and returns the objects to reconcile because of it. */
  observe({ storage, change }: ObjectChange): Set<string> {
    const { uid } = change.object.metadata ?? {};
    const due = new Set<string>();
    if (uid === undefined) return due;
    const before = this.#nodes.get(uid);
    if (change.type === 'DELETED') {
      if (!before) return due;
      this.#remove(before);
      for (const { uid: dependent } of this.dependentsOf(uid)) due.add(dependent);
      for (const owner of before.owners) due.add(owner.uid);
      return due;
    }
    const node: Node = {
      uid,
      storage,
      key: change.key,
      owners: change.object.metadata?.ownerReferences ?? [],
      deletion: deletionOf(change.object),
    };
    if (before) this.#remove(before);
    this.#add(node);
    const ownersChanged = !sameOwners(node.owners, before?.owners ?? []);
    if (ownersChanged) {
      due.add(uid);
      for (const owner of before?.owners ?? []) due.add(owner.uid);
    }
    if (node.deletion !== (before?.deletion ?? 'none')) {
      due.add(uid);
      if (node.deletion === 'foreground') for (const dependent of this.dependentsOf(uid)) due.add(dependent.uid);
    }
    return due;
  }

  #add(node: Node): void {
    this.#nodes.set(node.uid, node);
    for (const { uid } of node.owners) {
      const dependents = this.#dependents.get(uid) ?? new Set();
      dependents.add(node.uid);
      this.#dependents.set(uid, dependents);
    }
  }

  #remove(node: Node): void {
    this.#nodes.delete(node.uid);
    for (const { uid } of node.owners) {
      const dependents = this.#dependents.get(uid);
      dependents?.delete(node.uid);
      if (dependents?.size === 0) this.#dependents.delete(uid);
    }
  }
}

const sameOwners = (left: readonly OwnerReference[], right: readonly OwnerReference[]): boolean =>
  left.length === right.length &&
  left.every(({ uid, blockOwnerDeletion }, index) => {
    const other = right[index];
    return other?.uid === uid && (other.blockOwnerDeletion ?? false) === (blockOwnerDeletion ?? false);
  });
