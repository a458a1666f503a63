import type { ObjectTracker } from '../watch/object-tracker.ts';
import { isSameManifest } from './intent.ts';
import { failureOfOutcome } from './outcome.ts';
import type { ResolvedManifest } from './resolve-manifest.ts';
import type { WorkMemories } from './work-memory.ts';

/** What the holders of works begin with. */
export const holderPrefix = 'work ';

/** The name under which the objects of a work are tracked. */
export const holderOf = (key: string): string => holderPrefix + key;

/** Whether a work other than `holder` has applied the same manifest to the object. */
export const isAppliedByAnotherWork = (
  { target, identity, intent }: Pick<ResolvedManifest, 'target' | 'identity' | 'intent'>,
  holder: string,
  { tracker, memories }: { readonly tracker: ObjectTracker; readonly memories: WorkMemories },
): boolean =>
  [...tracker.holders(target)].some((other) => {
    if (other === holder || !other.startsWith(holderPrefix)) return false;
    const state = memories.get(other.slice(holderPrefix.length))?.objects.get(identity);
    const isApplied = state !== undefined && failureOfOutcome(state.outcome) === undefined;
    return isApplied && isSameManifest(state.appliedIntent, intent);
  });
