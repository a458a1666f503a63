import { failureOf, type ManifestFailure } from '../apply/failure.ts';
import { executorTargetOf } from '../executor/access-review.ts';
import type { ManifestResult } from '../status/manifest-status.ts';
import type { CachedMetadata } from '../watch/kind-watch.ts';
import { applyManifest, outcomeOfFailure } from './apply-manifest.ts';
import { finishedBefore, finishedPresence } from './finished-job.ts';
import { nextStep, type Step } from './next-step.policy.ts';
import { type ObjectState, type ObservedState, stateOf, withoutVersion } from './object-state.ts';
import { checkExistence, observeObject, withCachedVersion } from './observe-object.ts';
import { failureOfOutcome, type Outcome, retryMsOf } from './outcome.ts';
import type { PlannedManifest } from './plan.ts';
import { type ResolvedManifest, resolveManifest, type UnresolvedManifest } from './resolve-manifest.ts';
import { refusalOf, withRetryTime } from './retry.policy.ts';
import type { SyncDeps, WorkSync } from './sync.ts';

/** What came of one manifest. */
export interface SyncedManifest {
  readonly result: ManifestResult;
  /** To be remembered; absent if nothing was found out. */
  readonly state?: ObjectState;
  /** When it is tried again though nothing happens. */
  readonly retryMs?: number;
}

/** Applies or observes one manifest, as far as that takes requests. Never throws for what a manifest can cause. */
export async function syncManifest(deps: SyncDeps, sync: WorkSync, planned: PlannedManifest): Promise<SyncedManifest> {
  const resolved = await resolveManifest(deps, sync, planned);
  if ('failure' in resolved) return unresolved(sync, planned, resolved);

  deps.tracker.track(sync.holder, resolved.target);
  const known = sync.objects.get(resolved.identity) ?? finishedBefore(sync, resolved);
  const step = stepFor(deps, sync, resolved, known);
  const refusal = await whyNotAllowed(deps, sync, resolved, step);
  const unreadable = await whyUnreadable(deps, sync, resolved, refusal);
  if (!refusal && unreadable === undefined && sync.isDeleted()) {
    return { result: { meta: resolved.meta, presence: deletedDuringSync } };
  }
  const state = stateOf(resolved, await act(deps, sync, resolved, { known, step, refusal, unreadable }));
  const { outcome, observation, presence } = state;
  const failure = failureOfOutcome(outcome);
  const result = { meta: resolved.meta, presence, ...(failure && { failure }), ...(observation && { observation }) };
  const retryMs = retryMsOf(outcome, deps.clock.monotonic());
  return { result, state, ...(retryMs !== undefined && { retryMs }) };
}

/** What is recorded of the manifest stays recorded, and is deleted with the rest. */
const deletedDuringSync = { kind: 'unreadable', message: 'the work was deleted' } as const;

function unresolved(
  { retryMs }: WorkSync,
  { meta }: PlannedManifest,
  { failure, presence }: UnresolvedManifest,
): SyncedManifest {
  const result = { meta, failure: withRetryTime(failure, retryMs), presence };
  return failure.waits ? { result } : { result, retryMs };
}

const unknown: CachedMetadata = { kind: 'unknown' };

/** What is done about the object, if the executor of the work is allowed to. */
function stepFor(
  { tracker, clock }: SyncDeps,
  { work }: WorkSync,
  resolved: ResolvedManifest,
  known: ObjectState | undefined,
): Step {
  const awaits = known && failureOfOutcome(known.outcome)?.awaits;
  return nextStep(known, resolved, {
    now: clock.monotonic(),
    generation: work.metadata?.generation,
    cached: tracker.cached(resolved.target),
    awaited: awaits ? tracker.cached(awaits) : unknown,
  });
}

interface Known {
  readonly known: ObjectState | undefined;
  /** If the executor is allowed to apply the manifest. */
  readonly step: Step;
  readonly refusal: ManifestFailure | undefined;
  readonly unreadable: string | undefined;
}

async function act(
  deps: SyncDeps,
  sync: WorkSync,
  resolved: ResolvedManifest,
  { known, step: allowed, refusal, unreadable }: Known,
): Promise<ObservedState> {
  const outcome = refusal ? outcomeOfFailure(deps, sync, resolved, known, refusal) : unwrittenOutcome(resolved, known);
  if (unreadable !== undefined) {
    return { ...(await checkExistence(deps, sync, resolved, known, unreadable)), outcome };
  }
  const step = refusal ? stepFor(deps, sync, { ...resolved, isFrozen: true }, known) : allowed;
  if (step === 'apply') return applyManifest(deps, sync, resolved, known);
  if (!known || step === 'observe') return { ...(await observeObject(deps, sync, resolved, known)), outcome };
  if (step === 'record') return { ...withCachedVersion(deps, resolved, known), outcome };
  const isFinished = step === 'finish' || known.outcome.kind === 'finished';
  if (!isFinished) {
    const { presence: _, ...same } = known;
    return { ...same, outcome };
  }
  const { observation } = known;
  const presence = finishedPresence(resolved);
  return { ...withoutVersion(known), presence, ...(observation && { observation }), outcome: finished };
}

const finished: Outcome = { kind: 'finished' };

/** The outcome unless something is written: a failure of what is only observed is over. */
function unwrittenOutcome({ isFrozen, strategy }: ResolvedManifest, known: ObjectState | undefined): Outcome {
  if (!known || isFrozen || strategy === 'ReadOnly') return { kind: 'observed' };
  return known.outcome;
}

/** Why the executor of the work is not allowed to apply the manifest, if it is not; or why that is not known. */
async function whyNotAllowed(
  deps: SyncDeps,
  sync: WorkSync,
  { meta, manifest, owned, isFrozen }: ResolvedManifest,
  step: Step,
): Promise<ManifestFailure | undefined> {
  const { executor } = sync.work.spec ?? {};
  if (isFrozen || !executor) return undefined;
  const request = { ...executorTargetOf(meta), owned, manifest, writes: step === 'apply' };
  try {
    const message = await deps.executor.check(executor, request, sync.signal);
    return message === undefined ? undefined : refusalOf(message);
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
  const target = executorTargetOf(meta);
  const { group, resource, namespace, name } = target;
  try {
    const mayGet = await executors.mayGet(executor, target);
    return mayGet
      ? undefined
      : `the executor is not allowed to get the resource ${group} ${resource}, ${namespace} ${name}`;
  } catch (error) {
    return failureOf(error).message;
  }
}
