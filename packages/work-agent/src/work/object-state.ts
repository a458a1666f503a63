import type { ManifestResourceMeta } from '@flotilla/api-types';
import type { Manifest } from '../manifest.ts';
import type { Presence } from '../status/manifest-status.ts';
import type { Observation } from '../status/observation.ts';
import type { ObjectAddress } from '../watch/object-tracker.ts';
import type { Outcome } from './outcome.ts';
import type { ResolvedManifest } from './resolve-manifest.ts';

/** What the agent knows of the object of a manifest since the last sync. The object itself is not kept. */
export interface ObjectState {
  readonly target: ObjectAddress;
  readonly meta: ManifestResourceMeta;
  /** The intent of the last sync: another value means that the hub wants something else. */
  readonly intent: string;
  /** The last intent that was carried out, by this agent or, according to the status of the work, by an earlier one. */
  readonly appliedIntent?: string;
  /** What came of the intent. */
  readonly outcome: Outcome;
  /** Of the version that was observed; undefined if there was no object. */
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly presence: Presence;
  /** What was reported about that version. */
  readonly observation?: Observation;
  /** What was to be observed of it. */
  readonly rules: string;
  /** When changes of other writers were undone, by the monotonic clock. */
  readonly repairs: readonly number[];
}

/** The part of a state that a sync finds out; the manifest gives the rest. Without `presence`, the uid decides. */
export type ObservedState = Partial<ObjectState> & Pick<ObjectState, 'outcome'>;

/** The state after a sync of `resolved`. */
export function stateOf(resolved: ResolvedManifest, observed: ObservedState): ObjectState {
  const { target, meta, intent, rules } = resolved;
  const presence: Presence = { kind: observed.uid === undefined ? 'missing' : 'present' };
  return { repairs: [], presence, ...observed, target, meta, intent, rules };
}

/** What of a state outlives the version that was observed. */
export const withoutVersion = ({ appliedIntent, repairs }: Partial<ObjectState> = {}): Partial<ObjectState> => ({
  ...(appliedIntent !== undefined && { appliedIntent }),
  ...(repairs && { repairs }),
});

/** Which version of an object was observed. */
export const versionOf = ({ metadata }: Manifest): Pick<ObjectState, 'uid' | 'resourceVersion' | 'generation'> => ({
  uid: metadata?.uid,
  resourceVersion: metadata?.resourceVersion,
  generation: metadata?.generation,
});
