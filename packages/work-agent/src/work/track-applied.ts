import type { AppliedManifestResource, AppliedManifestWork } from '@flotilla/api-types';
import { KubeError, mapLimited } from '@flotilla/kube';
import { addressOf, resourceOf, sortResources, untracked } from '../applied-work/applied-work.policy.ts';
import { type DeleteContext, deleteApplied } from '../applied-work/delete-applied.ts';
import { identityOf } from '../manifest.ts';

import type { ManifestResult } from '../status/manifest-status.ts';
import type { ObjectAddress } from '../watch/object-tracker.ts';
import type { SyncDeps, WorkSync } from './sync.ts';

/** What is applied now, and what was applied before and is not gone yet. */
export interface TrackedResources {
  /** For the status of the AppliedManifestWork. */
  readonly resources: AppliedManifestResource[];
  /** Of the resources that are being deleted. */
  readonly pending: ObjectAddress[];
  /** Uids whose deletion was requested, to be remembered until they are gone. */
  readonly requestedDeletions: ReadonlySet<string>;
  readonly errors: KubeError[];
}

const mostAtOnce = 20;

/** Lists the objects of the manifests, and deletes those that no manifest names any more. */
export async function trackApplied(
  { spoke, tracker }: SyncDeps,
  { holder, objects, signal }: WorkSync,
  results: readonly ManifestResult[],
  appliedWork: AppliedManifestWork,
  requestedBefore: ReadonlySet<string>,
): Promise<TrackedResources> {
  const before = appliedWork.status?.appliedResources ?? [];
  const found: AppliedManifestResource[] = [];
  const kept: AppliedManifestResource[] = [];
  for (const result of results) {
    const uid = result.meta.resource ? objects.get(identityOf(result.meta))?.uid : undefined;
    if (uid === undefined) kept.push(...undecided(before, result));
    else found.push(resourceOf(result.meta, uid));
  }
  // What was found counts, should a manifest about which nothing is known seem to mean the same object.
  const listed = [...new Map([...kept, ...found].map((resource) => [identityOf(resource), resource])).values()];
  const requested = new Set(requestedBefore);
  const context: DeleteContext = {
    spoke,
    tracker,
    holder,
    ownerUid: appliedWork.metadata?.uid ?? '',
    requested,
    signal,
  };
  const errors: KubeError[] = [];
  const outgoing = await mapLimited(untracked(before, listed), mostAtOnce, async (resource) => {
    try {
      return { resource, isPending: await deleteApplied(resource, context) };
    } catch (error) {
      errors.push(KubeError.from(error));
      return { resource, isPending: true };
    }
  });
  const pending = outgoing.filter(({ isPending }) => isPending).map(({ resource }) => resource);
  return {
    resources: sortResources([...listed, ...pending]),
    pending: pending.map(addressOf),
    requestedDeletions: pending.length === 0 ? new Set() : requested,
    errors,
  };
}

/** What is recorded of a manifest that could not be resolved or observed stays recorded. */
function undecided(
  before: readonly AppliedManifestResource[],
  { meta, presence }: ManifestResult,
): AppliedManifestResource[] {
  if (presence.kind !== 'incomplete' && presence.kind !== 'unreadable') return [];
  return before.filter(
    ({ group = '', resource, namespace = '', name }) =>
      group === (meta.group ?? '') &&
      name === meta.name &&
      (namespace === '' || namespace === (meta.namespace ?? '')) &&
      (!meta.resource || resource === meta.resource),
  );
}
