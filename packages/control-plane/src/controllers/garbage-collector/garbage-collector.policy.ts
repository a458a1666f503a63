import type { OwnerReference } from '@flotilla/schema';

/** Whether an owner exists: yes, only until its dependents are deleted, no, or unknown. */
export type OwnerState = 'solid' | 'waiting' | 'absent' | 'unknown';

export interface OwnedObject {
  readonly owners: readonly { readonly reference: OwnerReference; readonly state: OwnerState }[];
  readonly hasDependents: boolean;
  /** A dependent that waits for its own dependents, this object among them: a circle. */
  readonly inCircle: boolean;
  readonly finalizers: readonly string[];
}

/** What to do with an object whose owners changed. */
export type Decision =
  | { readonly kind: 'keep' }
  | { readonly kind: 'disown'; readonly uids: readonly string[] }
  | { readonly kind: 'delete'; readonly policy: 'Background' | 'Foreground' | 'Orphan'; readonly unblock: boolean };

const keep: Decision = { kind: 'keep' };

/** An object with one existing owner is kept; references to absent owners and those being deleted are dropped then. */
export function decide({ owners, hasDependents, inCircle, finalizers }: OwnedObject): Decision {
  if (owners.length === 0) return keep;
  if (owners.some(({ state }) => state === 'solid')) {
    const gone = owners.filter(({ state }) => state === 'absent' || state === 'waiting');
    return gone.length === 0 ? keep : { kind: 'disown', uids: gone.map(({ reference }) => reference.uid) };
  }
  // As long as an owner of a kind that is not served could still be there, nothing is deleted.
  if (owners.some(({ state }) => state === 'unknown')) return keep;
  if (hasDependents && owners.some(({ state }) => state === 'waiting')) {
    return { kind: 'delete', policy: 'Foreground', unblock: inCircle };
  }
  if (finalizers.includes('orphan')) return { kind: 'delete', policy: 'Orphan', unblock: false };
  const policy = finalizers.includes('foregroundDeletion') ? 'Foreground' : 'Background';
  return { kind: 'delete', policy, unblock: false };
}
