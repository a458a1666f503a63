import { WorkManifestCondition } from '@flotilla/api-types';
import { isAbsence, KubeError } from '@flotilla/kube';
import { type CustomResourceDefinition, customResourceDefinitions, namespaces } from '@flotilla/kube/kinds';
import { applyCreateOnly } from '../apply/create-only.ts';
import { ApplyError, failureOf, type ManifestFailure } from '../apply/failure.ts';
import { removalOf } from '../apply/ownership.ts';
import type { ApplyAnswer, ApplyRequest } from '../apply/request.ts';
import { applyServerSide } from '../apply/server-side-apply.ts';
import { otherWriters } from '../apply/update/trust.ts';
import { applyUpdate } from '../apply/update/update.ts';
import type { Manifest } from '../manifest.ts';
import { strategyOf } from '../rules.ts';
import { conflictFailure, conflictPauseMs, isConflict, repairsWith } from './conflicting-writer.ts';
import { type ObjectState, type ObservedState, versionOf } from './object-state.ts';
import { observeObject } from './observe-object.ts';
import { notServed, type ResolvedManifest } from './resolve-manifest.ts';
import type { SyncDeps, WorkSync } from './sync.ts';

/** Makes the object of a manifest as it should be, by its strategy. A failure is a part of the state too. */
export async function applyManifest(
  deps: SyncDeps,
  sync: WorkSync,
  resolved: ResolvedManifest,
  known: ObjectState | undefined,
): Promise<ObservedState> {
  const { tracker, writers, clock, rules, kinds } = deps;
  const { target, identity, intent } = resolved;
  const cached = tracker.cached(target);
  const isRepair = known !== undefined && known.intent === intent && !known.failure && known.uid !== undefined;
  const wasApplied = hasBeenApplied(sync, resolved, known);
  let conflictingWriters: readonly string[] = [];
  const request = requestOf(deps, sync, resolved, { known, wasApplied }, (live) => {
    conflictingWriters = otherWriters(live);
  });
  try {
    const { object, wrote } = await retryUntilServed(deps, sync, resolved, () => write(resolved, request));
    if (!object) return { presence: { kind: 'missing' } };
    tracker.advance(sync.holder, target, object.metadata ?? {});
    if (wrote) writers.set(identity, sync.holder);
    if (isDefinition(resolved)) kinds.observe(object as CustomResourceDefinition);
    const observation = await rules.observe(object, resolved.config);
    const applied = { ...versionOf(object), appliedIntent: intent, observation };
    const isUndone =
      isRepair &&
      wrote &&
      mayUndo(resolved) &&
      cached.kind === 'present' &&
      cached.metadata.resourceVersion !== applied.resourceVersion;
    if (!isUndone) return { ...applied, repairs: known?.repairs ?? [] };
    const now = clock.monotonic();
    const repairs = repairsWith(known.repairs, now);
    if (!isConflict(repairs)) return { ...applied, repairs };
    const failure = conflictFailure(conflictingWriters, resolved.meta);
    return { ...applied, repairs, failure, pausedUntil: now + conflictPauseMs };
  } catch (error) {
    if (sync.signal.aborted) throw error;
    const appliedIntent = wasApplied ? intent : known?.appliedIntent;
    const failure = withMissingNamespace(failureOf(error), resolved, error);
    return observeObject(deps, sync, resolved, { ...known, appliedIntent, failure });
  }
}

const isDefinition = ({ target: { type } }: ResolvedManifest): boolean =>
  type.plural === customResourceDefinitions.plural && type.group === customResourceDefinitions.group;

function requestOf(
  { tracker, kinds, writers, ignoreFields, clock }: SyncDeps,
  sync: WorkSync,
  resolved: ResolvedManifest,
  { known, wasApplied }: { readonly known: ObjectState | undefined; readonly wasApplied: boolean },
  onRepair: (live: Manifest) => void,
): ApplyRequest {
  const { manifest, target, handle, identity, owned, intent } = resolved;
  const cached = tracker.cached(target);
  const isShared = sync.isAppliedByAnotherWork(resolved);
  return {
    required: manifest,
    key: target.key,
    owner: owned ? sync.owner : removalOf(sync.owner),
    handle,
    isNewKind: kinds.isNew(target.type),
    isNew:
      cached.kind === 'deleted' ||
      (cached.kind === 'unknown' && known?.uid === undefined && !known?.failure && !sync.applied.has(identity)),
    wasApplied: wasApplied || isShared,
    beforeRepair(live) {
      onRepair(live);
      const writer = writers.get(identity);
      // What the hub changed is applied; the work that wrote before reports the conflict.
      const isNewIntent = known?.appliedIntent !== intent;
      const isOtherWork = writer !== undefined && writer !== sync.holder && tracker.holders(target).has(writer);
      if (isNewIntent || isShared || !isOtherWork) return;
      const [, name = writer] = writer.split('/');
      const message = `ManifestWork "${name}" applies the same object with other content; tried again when the object or one of the works changes`;
      throw new ApplyError({ message, waits: true });
    },
    ignoreFields,
    clock,
    signal: sync.signal,
  };
}

/** Whether the very same manifest was applied before: as far as this agent knows, or else according to the status of the work. */
function hasBeenApplied(sync: WorkSync, { meta, intent }: ResolvedManifest, known: ObjectState | undefined): boolean {
  if (known?.appliedIntent !== undefined) return known.appliedIntent === intent;
  const old = sync.reported.find(meta);
  const reported = old?.conditions.find(({ type }) => type === WorkManifestCondition.Applied);
  return reported?.status === 'True' && reported.observedGeneration === sync.work.metadata?.generation;
}

function write({ config, handle, target }: ResolvedManifest, request: ApplyRequest): Promise<ApplyAnswer> {
  const strategy = strategyOf(config);
  switch (strategy.type) {
    case 'CreateOnly':
      return applyCreateOnly(request);
    case 'ServerSideApply':
      return applyServerSide(request, strategy.serverSideApply);
    case 'ReadOnly':
      return handle.find(target.key, { signal: request.signal }).then((object) => ({ object, wrote: false }));
    default:
      return applyUpdate(request);
  }
}

/** An apply that is not forced takes nothing from others; another version of the object means only that they changed it, too. */
function mayUndo({ config }: ResolvedManifest): boolean {
  const { type, serverSideApply } = strategyOf(config);
  return type !== 'ServerSideApply' || (serverSideApply?.force ?? false);
}

/** Pauses between tries of a kind that was established a moment ago: the server needs one to serve it. */
const servingPauses = [50, 200, 500];

async function retryUntilServed<T>(
  { kinds, clock }: SyncDeps,
  { holder, signal }: WorkSync,
  { manifest: { apiVersion = '', kind = '' } }: ResolvedManifest,
  attempt: () => Promise<T>,
): Promise<T> {
  for (const pause of servingPauses) {
    try {
      return await attempt();
    } catch (error) {
      if (!KubeError.is(error, 'NotFound') || isAbsence(error)) throw error;
      kinds.forget();
      if (!(await kinds.find(holder, apiVersion, kind))) throw notServed(apiVersion, kind);
      await clock.sleep(pause, signal);
    }
  }
  return attempt();
}

/** A namespace that is missing, or being deleted, is watched, so that its objects are applied as soon as it exists again. */
function withMissingNamespace(
  failure: ManifestFailure,
  { meta: { namespace } }: ResolvedManifest,
  error: unknown,
): ManifestFailure {
  const { code, details } = KubeError.from(error);
  const isMissing = code === 'NotFound' && details?.kind === namespaces.plural;
  const isEnding = code === 'Forbidden' && details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating');
  if (!namespace || !(isMissing || isEnding)) return failure;
  return { ...failure, awaits: { type: namespaces, key: namespace } };
}
