import { WorkManifestCondition } from '@flotilla/api-types';
import { findCondition } from '@flotilla/kube';
import { ApplyError } from '../apply/failure.ts';
import { removalOf } from '../apply/ownership.ts';
import type { ApplyRequest } from '../apply/request.ts';
import { executorTargetOf } from '../executor/access-review.ts';
import type { Manifest } from '../manifest.ts';
import type { ObjectState } from './object-state.ts';
import { failureOfOutcome } from './outcome.ts';
import type { ResolvedManifest } from './resolve-manifest.ts';
import { refusalOf } from './retry.policy.ts';
import { ruleCallerOf, type SyncDeps, type WorkSync } from './sync.ts';

/** What is known before a manifest is applied, and who is told what comes of it. */
export interface ApplyKnowledge {
  readonly known: ObjectState | undefined;
  /** The very same manifest was applied before. */
  readonly wasApplied: boolean;
  /** Receives the object as it is before a change of it is undone. */
  readonly onRepair: (live: Manifest) => void;
  /** Called when the object stays as another work wants it. */
  readonly onOvertaken: () => void;
}

/** A manifest on its way to the cluster, with what must not happen there. */
export function applyRequestOf(
  deps: SyncDeps,
  sync: WorkSync,
  resolved: ResolvedManifest,
  { known, wasApplied, onRepair, onOvertaken }: ApplyKnowledge,
): ApplyRequest {
  const { tracker, kinds, ignoreFields, clock } = deps;
  const { manifest, target, handle, identity, owned } = resolved;
  const cached = tracker.cached(target);
  const isShared = sync.isAppliedByAnotherWork(resolved);
  const isUnknown = cached.kind === 'unknown' && known?.uid === undefined && !sync.applied.has(identity);
  return {
    required: manifest,
    key: target.key,
    owner: owned ? sync.owner : removalOf(sync.owner),
    handle,
    isNewKind: kinds.isNew(target.type),
    isNew: cached.kind === 'deleted' || (isUnknown && !(known && failureOfOutcome(known.outcome))),
    wasApplied: wasApplied || isShared,
    beforeRepair(live) {
      onRepair(live);
      const winner = isShared ? undefined : overtakenBy(deps, sync, resolved, known);
      if (winner === undefined) return;
      onOvertaken();
      const message = `ManifestWork "${winner}" applies the same object with other content; tried again when the object or one of the works changes`;
      throw new ApplyError({ message, waits: true });
    },
    beforeDelete: () => mustBeAllowedToDelete(deps, sync, resolved),
    ignoreFields: (object, fields) => ignoreFields(object, fields, ruleCallerOf(sync)),
    clock,
    signal: sync.signal,
  };
}

/** The name of the work that wrote the object after this one; a manifest that the hub changed since then is the latest. */
function overtakenBy(
  { writers, tracker }: SyncDeps,
  sync: WorkSync,
  resolved: ResolvedManifest,
  known: ObjectState | undefined,
): string | undefined {
  const { identity, target, intent } = resolved;
  if (known) {
    const writer = writers.get(identity);
    const isOther = writer !== undefined && writer !== sync.holder && tracker.holders(target).has(writer);
    return isOther && known.appliedIntent === intent ? nameOf(writer) : undefined;
  }
  // Since the agent started nothing was written: the work that is reported as applied is the one that wrote last.
  if (reportedStatus(sync, resolved) !== 'False') return undefined;
  const writer = writers.get(identity) ?? sync.reportedWriter(resolved);
  if (writer === undefined || writer === sync.holder) return undefined;
  writers.set(identity, writer);
  return nameOf(writer);
}

const nameOf = (holder: string): string => holder.slice(holder.indexOf('/') + 1);

/** What was reported of the application of a manifest in this generation of its work. */
function reportedStatus({ reported, work }: WorkSync, { meta }: ResolvedManifest): string | undefined {
  const applied = findCondition(reported.find(meta)?.conditions, WorkManifestCondition.Applied);
  return applied?.observedGeneration === work.metadata?.generation ? applied?.status : undefined;
}

/** Whether the very same manifest was applied before: as far as this agent knows, or else according to the status of the work. */
export const hasBeenApplied = (sync: WorkSync, resolved: ResolvedManifest, known: ObjectState | undefined): boolean =>
  known?.appliedIntent === undefined
    ? reportedStatus(sync, resolved) === 'True'
    : known.appliedIntent === resolved.intent;

/** Deleting an object to create it again takes the right to delete, also of an object that is not deleted with its work. */
async function mustBeAllowedToDelete(
  { executor: executors }: SyncDeps,
  { work, signal }: WorkSync,
  { meta, manifest, owned }: ResolvedManifest,
): Promise<void> {
  const { executor } = work.spec ?? {};
  if (!executor || owned) return;
  const request = { ...executorTargetOf(meta), owned: true, manifest, writes: true };
  const message = await executors.check(executor, request, signal);
  if (message !== undefined) throw new ApplyError(refusalOf(message));
}
