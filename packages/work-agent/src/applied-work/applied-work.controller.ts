import { type AppliedManifestWork, ControllerName, Finalizer, type ManifestWork } from '@flotilla/api-types';
import {
  after,
  type CachedResource,
  type Clock,
  type Controller,
  defineController,
  done,
  hasFinalizer,
  isDeleting,
  type KubeClient,
  keyOf,
  mapLimited,
  on,
  type Result,
  removeFinalizer,
} from '@flotilla/kube';
import { TimestampAges } from '@flotilla/kube/clock';
import { formatTime } from '@flotilla/kube/meta';

import type { ObjectTracker } from '../watch/object-tracker.ts';
import {
  type AgentIdentity,
  adoptionOf,
  appliedWorkName,
  formerNames,
  isCoveredBy,
  isOwnRecord,
  sameResources,
  sortResources,
  workNameOf,
} from './applied-work.policy.ts';
import { deleteApplied } from './delete-applied.ts';
import { decideEviction } from './eviction.policy.ts';

/** What keeping AppliedManifestWorks needs. */
export interface AppliedWorkControllerOptions {
  readonly spoke: KubeClient;
  readonly works: CachedResource<ManifestWork>;
  readonly appliedWorks: CachedResource<AppliedManifestWork>;
  readonly tracker: ObjectTracker;
  readonly clusterName: string;
  readonly identity: AgentIdentity;
  readonly evictionGraceMs: number;
  /** How often objects are read that cannot be watched. */
  readonly pollMs: number;
  readonly clock: Clock;
}

const holderPrefix = 'applied ';
const mostAtOnce = 20;
/** A cluster that was away is noticed within the longest of these. */
const outage = { baseMs: 100, maxMs: 30_000 };

/** The options, and what is known from one reconcile to the next. */
interface Scope extends AppliedWorkControllerOptions {
  /** The objects of a record whose deletion was requested, by its name. */
  readonly requested: Map<string, Set<string>>;
  /** A clock that is set forward must not end the grace period. */
  readonly evictionAges: TimestampAges;
}

/** Removes what was applied when an AppliedManifestWork is deleted, and deletes those whose work is gone from the hub. */
export function appliedWorkController(options: AppliedWorkControllerOptions): Controller {
  const { works, appliedWorks, tracker, identity, clock } = options;
  const scope: Scope = { ...options, requested: new Map(), evictionAges: new TimestampAges(clock) };
  return defineController({
    name: ControllerName.UnmanagedAppliedWork,
    watches: [
      on(appliedWorks),
      // What replaces a record may cover it now.
      on(appliedWorks, ({ spec }) => formerNames(identity, spec?.manifestWorkName ?? '')),
      on(
        works,
        (work) => appliedWorkName(identity.hubHash, work.metadata?.name ?? ''),
        ({ type }) => type !== 'updated',
      ),
      tracker.watchOf(holderPrefix),
    ],
    backoff: outage,
    async reconcile(name, { signal }) {
      const appliedWork = appliedWorks.get(name);
      if (!appliedWork || !isOwnRecord(appliedWork, identity)) {
        release(scope, name);
        return done;
      }
      const adoption = adoptionOf(appliedWork, identity);
      if (adoption) {
        // The event of it follows.
        await appliedWorks.patch(name, { type: 'merge', body: adoption }, { signal });
        return done;
      }
      return isDeleting(appliedWork) ? finalize(scope, appliedWork, signal) : evict(scope, appliedWork, signal);
    },
  });
}

function release({ requested, evictionAges, tracker }: Scope, name: string): void {
  requested.delete(name);
  evictionAges.forget(name);
  tracker.keep(holderPrefix + name, []);
}

async function finalize(scope: Scope, appliedWork: AppliedManifestWork, signal: AbortSignal): Promise<Result> {
  const { spoke, appliedWorks, tracker, requested, pollMs } = scope;
  const name = keyOf(appliedWork);
  if (!hasFinalizer(appliedWork, Finalizer.AppliedManifestWorkCleanup)) {
    release(scope, name);
    return done;
  }
  const before = appliedWork.status?.appliedResources ?? [];
  const deletions = requested.get(name) ?? new Set();
  requested.set(name, deletions);
  const context = {
    spoke,
    tracker,
    holder: holderPrefix + name,
    ownerUid: appliedWork.metadata?.uid ?? '',
    requested: deletions,
    signal,
  };
  const outcomes = await mapLimited(before, mostAtOnce, async (resource) => {
    try {
      return { resource, isPending: await deleteApplied(resource, context) };
    } catch (error) {
      return { resource, isPending: true, error };
    }
  });
  const pending = outcomes.filter(({ isPending }) => isPending).map(({ resource }) => resource);
  if (pending.length === 0) {
    await removeFinalizer(appliedWorks, appliedWork, Finalizer.AppliedManifestWorkCleanup, { signal });
    release(scope, name);
    return done;
  }
  if (!sameResources(pending, before)) {
    await patchStatus(scope, appliedWork, { appliedResources: sortResources(pending) }, signal);
  }
  const failed = outcomes.find(({ error }) => error !== undefined);
  if (failed) throw failed.error;
  return after(pollMs, 'objects that cannot be watched may be gone');
}

function patchStatus({ appliedWorks }: Scope, appliedWork: AppliedManifestWork, status: object, signal: AbortSignal) {
  const { uid, resourceVersion } = appliedWork.metadata ?? {};
  const body = { metadata: { uid, resourceVersion }, status };
  return appliedWorks.status.patch(keyOf(appliedWork), { type: 'merge', body }, { signal });
}

async function evict(scope: Scope, appliedWork: AppliedManifestWork, signal: AbortSignal): Promise<Result> {
  const { works, appliedWorks, clusterName, identity, evictionGraceMs, evictionAges, clock } = scope;
  const name = keyOf(appliedWork);
  const workName = appliedWork.spec?.manifestWorkName ?? '';
  const isManaged = workNameOf(identity.hubHash, name) !== undefined && works.has(`${clusterName}/${workName}`);
  const successor = appliedWorks.get(appliedWorkName(identity.hubHash, workName));
  const isReplaced =
    formerNames(identity, workName).includes(name) && successor !== undefined && isCoveredBy(appliedWork, successor);
  if (isReplaced) return remove(scope, appliedWork, signal);
  const decision = decideEviction(appliedWork, {
    isManaged,
    graceMs: evictionGraceMs,
    ageOf: (start) => evictionAges.of(name, start),
  });
  switch (decision.kind) {
    case 'keep':
      return done;
    case 'cancel':
      evictionAges.forget(name);
      await patchStatus(scope, appliedWork, { evictionStartTime: null }, signal);
      return done;
    case 'start':
      await patchStatus(scope, appliedWork, { evictionStartTime: formatTime(clock.now()) }, signal);
      return after(evictionGraceMs, 'the work may come back to the hub');
    case 'wait':
      return after(decision.ms, 'the work may come back to the hub');
    case 'evict':
      return remove(scope, appliedWork, signal);
  }
}

async function remove({ appliedWorks }: Scope, appliedWork: AppliedManifestWork, signal: AbortSignal): Promise<Result> {
  const { uid } = appliedWork.metadata ?? {};
  await appliedWorks.delete(keyOf(appliedWork), { signal, ...(uid && { preconditions: { uid } }) });
  return done;
}
