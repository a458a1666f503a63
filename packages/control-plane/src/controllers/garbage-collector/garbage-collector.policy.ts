import type { OwnerReference } from '@flotilla/api-types';

/** Whether an owner is there: for good, only until its dependents are gone, not any more, or nobody can tell. */
export type OwnerState = 'solid' | 'waiting' | 'absent' | 'unknown';

export interface OwnedObject {
  readonly owners: readonly { readonly reference: OwnerReference; readonly state: OwnerState }[];
  readonly hasDependents: boolean;
  /** A dependent that waits for its own dependents, this object among them: a circle. */
  readonly inCircle: boolean;
  readonly finalizers: readonly string[];
}

/** What becomes of an object whose owners changed. */
export type Verdict =
  | { readonly kind: 'keep' }
  | { readonly kind: 'disown'; readonly uids: readonly string[] }
  | { readonly kind: 'delete'; readonly policy: 'Background' | 'Foreground' | 'Orphan'; readonly unblock: boolean };

const keep: Verdict = { kind: 'keep' };

/** One owner that stays is enough to stay; references to those who left or leave are dropped then. */
export function judge({ owners, hasDependents, inCircle, finalizers }: OwnedObject): Verdict {
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
