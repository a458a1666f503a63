import type { ManifestWork, OwnerReference } from '@flotilla/api-types';
import type { Clock, KubeClient, Logger } from '@flotilla/kube';
import type { Kinds } from '../apply/kinds.ts';
import type { Executor } from '../executor/executor.ts';
import type { IgnoreFields } from '../ignore-fields/ignore-fields.ts';
import type { WorkRules } from '../rules.ts';
import type { ReportedManifests } from '../status/reported-manifests.ts';
import type { ObjectAddress, ObjectTracker } from '../watch/object-tracker.ts';
import type { WorkMemory } from './memory.ts';
import type { Writers } from './writers.ts';

/** What passes over works share. */
export interface PassDeps {
  readonly spoke: KubeClient;
  readonly tracker: ObjectTracker;
  readonly kinds: Kinds;
  readonly rules: WorkRules;
  readonly executor: Pick<Executor, 'check'>;
  readonly ignoreFields: IgnoreFields;
  readonly writers: Writers;
  readonly clock: Clock;
  readonly log: Logger;
}

/** One pass over one work. */
export interface Pass {
  /** Under which the objects are tracked. */
  readonly holder: string;
  readonly work: ManifestWork;
  readonly memory: WorkMemory;
  readonly owner: OwnerReference;
  /** Identities of what was applied before, by this agent or another. */
  readonly applied: ReadonlySet<string>;
  /** What was reported about the manifests before. */
  readonly reported: ReportedManifests;
  /** The work is complete: looked at, not applied. */
  readonly isFrozen: boolean;
  /** What must be waited for besides the objects themselves, such as a namespace. */
  readonly awaited: ObjectAddress[];
  /** Whether the work, or its record, was deleted while the pass went on: from then on nothing is applied. */
  readonly isWithdrawn: () => boolean;
  readonly signal: AbortSignal;
}
