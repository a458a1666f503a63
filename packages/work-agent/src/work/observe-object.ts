import { errorMessageOf } from '../apply/failure.ts';
import { reportLimitsOf } from '../config/report-limits.ts';
import type { Manifest } from '../manifest.ts';
import { readinessOf } from '../readiness/readiness.policy.ts';
import type { Observation } from '../status/observation.ts';
import { isFinishedJob } from './finished-job.ts';
import { type ObjectState, versionOf, withoutVersion } from './object-state.ts';
import type { ResolvedManifest } from './resolve-manifest.ts';
import { ruleCallerOf, type SyncDeps, type WorkSync } from './sync.ts';

/** What is remembered and reported of a version of the object. */
export async function observationOf(
  { rules }: Pick<SyncDeps, 'rules'>,
  sync: Pick<WorkSync, 'reportsReadiness' | 'holder' | 'signal' | 'plan'>,
  { config, isFinishObserved }: Pick<ResolvedManifest, 'config' | 'isFinishObserved'>,
  object: Manifest,
): Promise<Observation> {
  return {
    ...(await rules.observe(object, config, { caller: ruleCallerOf(sync), limits: reportLimitsOf(sync.plan.length) })),
    ...(sync.reportsReadiness && { readiness: readinessOf(object) }),
    ...(isFinishObserved && { isFinishedJob: isFinishedJob(object) }),
  };
}

/** Reads the object, whatever is known about its application. */
export async function observeObject(
  deps: SyncDeps,
  sync: WorkSync,
  resolved: ResolvedManifest,
  known: Partial<ObjectState> | undefined,
): Promise<Partial<ObjectState>> {
  const kept = withoutVersion(known);
  const { handle, target } = resolved;
  try {
    const object = await handle.find(target.key, { signal: sync.signal });
    if (!object) return { ...kept, presence: { kind: 'missing' } };
    deps.tracker.advance(sync.holder, target, object.metadata ?? {});
    return { ...kept, ...versionOf(object), observation: await observationOf(deps, sync, resolved, object) };
  } catch (error) {
    return { ...kept, presence: { kind: 'unreadable', message: errorMessageOf(error) }, uid: known?.uid };
  }
}

/** Finds out whether an object that must not be read exists, if this work applied it. What it did not apply is not available to it. */
export async function checkExistence(
  { spoke, tracker, rules }: SyncDeps,
  { applied, plan, signal }: WorkSync,
  { target, identity, config }: ResolvedManifest,
  known: ObjectState | undefined,
  reason: string,
): Promise<Partial<ObjectState>> {
  const { uid } = known ?? {};
  const kept = { ...withoutVersion(known), observation: rules.refuse(config, reason, reportLimitsOf(plan.length)) };
  if (uid === undefined && !applied.has(identity)) return { ...kept, presence: { kind: 'unapplied', message: reason } };
  const cached = tracker.cached(target);
  try {
    const metadata =
      cached.kind === 'unknown'
        ? (await spoke.metadata(target.type).find(target.key, { signal }))?.metadata
        : cached.kind === 'present'
          ? cached.metadata
          : undefined;
    if (!metadata) return { ...kept, presence: { kind: 'missing' } };
    return { ...kept, uid: metadata.uid };
  } catch (error) {
    return { ...kept, uid, presence: { kind: 'unreadable', message: errorMessageOf(error) } };
  }
}

/** A state that the cached metadata confirms, with the version that is cached now. */
export function withCachedVersion(
  { tracker }: SyncDeps,
  { target }: ResolvedManifest,
  state: ObjectState,
): Partial<ObjectState> {
  const cached = tracker.cached(target);
  const { resourceVersion, generation } = cached.kind === 'present' ? cached.metadata : {};
  const { presence: _, ...kept } = state;
  return { ...kept, resourceVersion, generation };
}
