import { isAbsence, KubeError } from '@flotilla/kube';
import { type CustomResourceDefinition, customResourceDefinitions, namespaces } from '@flotilla/kube/kinds';
import { applyCreateOnly } from '../apply/create-only.ts';
import { failureOf, type ManifestFailure } from '../apply/failure.ts';
import type { ApplyAnswer, ApplyRequest } from '../apply/request.ts';
import { applyServerSide } from '../apply/server-side-apply.ts';
import { otherWriters } from '../apply/update/trust.ts';
import { applyUpdate } from '../apply/update/update.ts';
import { conflictFailure, conflictPauseMs, isConflict, repairsWith } from '../conflicts/conflicting-writer.ts';
import type { Manifest } from '../manifest.ts';
import { strategyOf } from '../rules.ts';
import { applyRequestOf, hasBeenApplied } from './apply-request.ts';
import { type ObjectState, type ObservedState, versionOf } from './object-state.ts';
import { observationOf, observeObject } from './observe-object.ts';
import type { Outcome } from './outcome.ts';
import { notServed, type ResolvedManifest } from './resolve-manifest.ts';
import { failedOutcome } from './retry.policy.ts';
import type { SyncDeps, WorkSync } from './sync.ts';

/** Makes the object of a manifest as it should be, by its strategy. A failure is a part of the state too. */
export async function applyManifest(
  deps: SyncDeps,
  sync: WorkSync,
  resolved: ResolvedManifest,
  known: ObjectState | undefined,
): Promise<ObservedState> {
  const { tracker, writers, kinds } = deps;
  const { target, identity, intent } = resolved;
  const wasApplied = hasBeenApplied(sync, resolved, known);
  const repair = repairOf(deps, resolved, known);
  let isOvertaken = false;
  const request = applyRequestOf(deps, sync, resolved, {
    known,
    wasApplied,
    onRepair: (live) => repair.observe(live),
    onOvertaken: () => {
      isOvertaken = true;
    },
  });
  try {
    const { object, wrote } = await retryUntilServed(deps, sync, resolved, () => write(resolved, request));
    if (!object) return { outcome: { kind: 'applied' }, presence: { kind: 'missing' } };
    tracker.advance(sync.holder, target, object.metadata ?? {});
    if (wrote) writers.set(identity, sync.holder);
    if (isDefinition(resolved)) kinds.observe(object as CustomResourceDefinition);
    const observation = await observationOf(deps, sync, resolved, object);
    return { ...versionOf(object), appliedIntent: intent, observation, ...repair.end(wrote) };
  } catch (error) {
    if (sync.signal.aborted) throw error;
    const appliedIntent = wasApplied || isOvertaken ? intent : known?.appliedIntent;
    const failure = withMissingNamespace(failureOf(error), resolved, error);
    return {
      ...(await observeObject(deps, sync, resolved, { ...known, appliedIntent })),
      outcome: outcomeOfFailure(deps, sync, resolved, known, failure),
    };
  }
}

/** What came of a manifest that was not applied. */
export function outcomeOfFailure(
  { clock, random }: SyncDeps,
  { work }: WorkSync,
  { intent }: ResolvedManifest,
  known: ObjectState | undefined,
  failure: ManifestFailure,
): Outcome {
  if (failure.isRefusal) return { kind: 'refused', failure };
  const before = known?.intent === intent ? known.outcome : undefined;
  const moment = { now: clock.monotonic(), generation: work.metadata?.generation, random: random() };
  return failedOutcome(failure, before, moment);
}

/** Counts how often a change of another writer was undone. */
interface Repair {
  /** Takes the object as the other writer left it. */
  observe(live: Manifest): void;
  /** What came of it. */
  end(wrote: boolean): Pick<ObservedState, 'outcome' | 'repairs'>;
}

function repairOf({ tracker, clock }: SyncDeps, resolved: ResolvedManifest, known: ObjectState | undefined): Repair {
  const { target, intent, meta } = resolved;
  const cached = tracker.cached(target);
  const wasDeleted = cached.kind === 'deleted';
  const isRepair =
    known?.outcome.kind === 'applied' &&
    known.intent === intent &&
    (wasDeleted || (mayUndo(resolved) && cached.kind === 'present'));
  let conflictingWriters: readonly string[] = [];
  return {
    observe(live) {
      conflictingWriters = otherWriters(live);
    },
    end(wrote) {
      const repairs = known?.intent === intent ? known.repairs : [];
      if (!isRepair || !wrote) return { outcome: { kind: 'applied' }, repairs };
      const now = clock.monotonic();
      const counted = repairsWith(repairs, now);
      if (!isConflict(counted)) return { outcome: { kind: 'applied' }, repairs: counted };
      const failure = conflictFailure(meta, wasDeleted ? 'deleted' : 'changed', conflictingWriters);
      return { outcome: { kind: 'paused', failure, until: now + conflictPauseMs }, repairs: counted };
    },
  };
}

const isDefinition = ({ target: { type } }: ResolvedManifest): boolean =>
  type.plural === customResourceDefinitions.plural && type.group === customResourceDefinitions.group;

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
