import type { ManifestWork } from '@flotilla/api-types';
import type { Clock, KubeClient, Logger } from '@flotilla/kube';
import type { RuleCaller } from '@flotilla/rules/runner';
import type { OwnerReference } from '@flotilla/schema';
import type { Kinds } from '../apply/kinds.ts';
import type { Writers } from '../conflicts/writers.ts';
import type { Executor } from '../executor/executor.ts';
import type { IgnoreFields } from '../ignore-fields/ignore-fields.ts';
import type { WorkRules } from '../rules.ts';
import type { ReportedManifests } from '../status/reported-manifests.ts';
import type { FirstReads } from '../watch/first-reads.ts';
import type { ObjectTracker } from '../watch/object-tracker.ts';
import type { ObjectState } from './object-state.ts';
import type { PlannedManifest } from './plan.ts';
import type { ResolvedManifest } from './resolve-manifest.ts';

/** What the syncs of all works share. */
export interface SyncDeps {
  readonly spoke: KubeClient;
  readonly tracker: ObjectTracker;
  readonly firstReads: FirstReads;
  readonly kinds: Kinds;
  readonly rules: WorkRules;
  readonly executor: Pick<Executor, 'check' | 'mayGet'>;
  readonly ignoreFields: IgnoreFields;
  readonly writers: Writers;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** One sync of one work: what is known when it begins. */
export interface WorkSync {
  /** The name under which the objects are tracked. */
  readonly holder: string;
  readonly work: ManifestWork;
  readonly plan: readonly PlannedManifest[];
  /** What is known of the objects, by identity. */
  readonly objects: ReadonlyMap<string, ObjectState>;
  readonly owner: OwnerReference;
  /** Identities of the objects that were applied before, by this agent or another. */
  readonly applied: ReadonlySet<string>;
  /** What was reported about the manifests before. */
  readonly reported: ReportedManifests;
  /** The work is complete: its objects are observed and not applied. */
  readonly isFrozen: boolean;
  /** Whether the readiness of the objects is reported. */
  readonly reportsReadiness: boolean;
  /** Whether another work has applied the same manifest to the object. */
  readonly isAppliedByAnotherWork: (resolved: Pick<ResolvedManifest, 'target' | 'identity' | 'intent'>) => boolean;
  /** The holder of another work that is reported as having applied the object. */
  readonly reportedWriter: (resolved: Pick<ResolvedManifest, 'meta'>) => string | undefined;
  /** How long after this sync failures are tried again that no object has a part in. */
  readonly retryMs: number;
  /** Whether the work, or its AppliedManifestWork, was deleted during the sync: from then on nothing is applied. */
  readonly isDeleted: () => boolean;
  readonly signal: AbortSignal;
}

/** Works take turns with rules that take long. The holder names the cluster, too, since agents of several may run in one process. */
export const ruleCallerOf = ({ holder, signal }: Pick<WorkSync, 'holder' | 'signal'>): RuleCaller => ({
  owner: holder,
  signal,
});
