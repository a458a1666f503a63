import type { ManifestResourceMeta } from '@flotilla/api-types';
import { failureOf, type ManifestFailure } from '../apply/failure.ts';
import type { ManifestResult } from '../status/manifest-status.ts';
import { applyManifest } from './apply-manifest.ts';
import { nextStep } from './next-step.policy.ts';
import { type ObjectState, type ObservedState, stateOf } from './object-state.ts';
import { checkExistence, observeObject, withCachedVersion } from './observe-object.ts';
import type { PlannedManifest } from './plan.ts';
import { type ResolvedManifest, resolveManifest } from './resolve-manifest.ts';
import type { SyncDeps, WorkSync } from './sync.ts';

/** What came of one manifest. */
export interface SyncedManifest {
  readonly result: ManifestResult;
  /** To be remembered; absent if nothing was found out. */
  readonly state?: ObjectState;
}

/** Applies or observes one manifest, as far as that takes requests. Never throws for what a manifest can cause. */
export async function syncManifest(deps: SyncDeps, sync: WorkSync, planned: PlannedManifest): Promise<SyncedManifest> {
  const { meta } = planned;
  const resolved = await resolveManifest(deps, sync, planned);
  if ('failure' in resolved) return { result: { meta, failure: resolved.failure, presence: { kind: 'incomplete' } } };

  deps.tracker.track(sync.holder, resolved.target);
  const known = sync.objects.get(resolved.identity);
  const refusal = await whyNotAllowed(deps, sync, resolved);
  const unreadable = await whyUnreadable(deps, sync, resolved, refusal);
  if (!refusal && unreadable === undefined && sync.isDeleted()) {
    return { result: { meta: resolved.meta, presence: deletedDuringSync } };
  }
  const observed = await act(deps, sync, resolved, { known, refusal, unreadable });
  const state = stateOf(resolved, observed);
  const { failure, observation, presence } = state;
  const result = { meta: resolved.meta, presence, ...(failure && { failure }), ...(observation && { observation }) };
  return { result, state };
}

/** What is recorded of the manifest stays recorded, and is deleted with the rest. */
const deletedDuringSync = { kind: 'unreadable', message: 'the work was deleted' } as const;

interface Known {
  readonly known: ObjectState | undefined;
  readonly refusal: ManifestFailure | undefined;
  readonly unreadable: string | undefined;
}

async function act(
  deps: SyncDeps,
  sync: WorkSync,
  resolved: ResolvedManifest,
  { known, refusal, unreadable }: Known,
): Promise<ObservedState> {
  const refused = { ...known, ...(refusal && { failure: refusal }) };
  if (unreadable !== undefined) return checkExistence(deps, sync, resolved, refused, unreadable);
  if (refusal) return observeObject(deps, sync, resolved, refused);
  const step = nextStep(known, deps.tracker.cached(resolved.target), resolved, deps.clock.monotonic());
  if (step === 'apply') return applyManifest(deps, sync, resolved, known);
  if (!known || step === 'observe') return observeObject(deps, sync, resolved, known ?? {});
  if (step === 'record') return withCachedVersion(deps, resolved, known);
  const { presence: _, ...same } = known;
  return same;
}

/** Why the executor of the work is not allowed to apply the manifest, if it is not. */
async function whyNotAllowed(
  deps: SyncDeps,
  sync: WorkSync,
  { meta, manifest, owned, isFrozen }: ResolvedManifest,
): Promise<ManifestFailure | undefined> {
  const { executor } = sync.work.spec ?? {};
  if (isFrozen || !executor) return undefined;
  try {
    const message = await deps.executor.check(executor, { ...executorTarget(meta), owned, manifest }, sync.signal);
    return message === undefined
      ? undefined
      : { reason: 'AppliedManifestFailed', message, waits: true, retryAfterMs: 60_000 };
  } catch (error) {
    return failureOf(error);
  }
}

/** Why the object is not read for the work, if it is not: an executor that cannot read it must not read it by feedback either. */
async function whyUnreadable(
  { executor: executors }: SyncDeps,
  { work }: WorkSync,
  { meta, isFrozen }: ResolvedManifest,
  refusal: ManifestFailure | undefined,
): Promise<string | undefined> {
  const { executor } = work.spec ?? {};
  // The right to apply includes the right to read.
  if (!executor || !(refusal || isFrozen)) return undefined;
  const { group, resource, namespace, name } = executorTarget(meta);
  try {
    const mayGet = await executors.mayGet(executor, executorTarget(meta));
    return mayGet
      ? undefined
      : `the executor is not allowed to get the resource ${group} ${resource}, ${namespace} ${name}`;
  } catch (error) {
    return failureOf(error).message;
  }
}

const executorTarget = ({
  group = '',
  version = '',
  resource = '',
  namespace = '',
  name = '',
}: ManifestResourceMeta) => ({
  group,
  version,
  resource,
  namespace,
  name,
});
