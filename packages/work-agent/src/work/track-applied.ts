import type { AppliedManifestResource, AppliedManifestWork } from '@flotilla/api-types';
import { KubeError } from '@flotilla/kube';
import { addressOf, resourceOf, sortResources, untracked } from '../applied-work/applied-work.policy.ts';
import { type DeleteContext, deleteApplied } from '../applied-work/delete-applied.ts';
import { identityOf } from '../manifest.ts';
import { mapLimited } from '../map-limited.ts';
import type { ManifestResult } from '../status/manifest-status.ts';
import type { ObjectAddress } from '../watch/object-tracker.ts';
import type { Pass, PassDeps } from './pass.ts';

/** What is applied now, and what of before is not gone yet. */
export interface TrackedResources {
  /** For the status of the AppliedManifestWork. */
  readonly resources: AppliedManifestResource[];
  /** Of the resources that are on their way out. */
  readonly pending: ObjectAddress[];
  readonly errors: KubeError[];
}

const mostAtOnce = 20;

/** Lists what the manifests have on the cluster, and deletes what they had and do not name any more. */
export async function trackApplied(
  { spoke, tracker }: PassDeps,
  { holder, memory, signal }: Pass,
  results: readonly ManifestResult[],
  appliedWork: AppliedManifestWork,
): Promise<TrackedResources> {
  const before = appliedWork.status?.appliedResources ?? [];
  const found: AppliedManifestResource[] = [];
  const kept: AppliedManifestResource[] = [];
  for (const result of results) {
    const uid = result.meta.resource ? memory.records.get(identityOf(result.meta))?.uid : undefined;
    if (uid === undefined) kept.push(...undecided(before, result));
    else found.push(resourceOf(result.meta, uid));
  }
  // What was found counts, should a manifest about which nothing is known seem to mean the same object.
  const listed = [...new Map([...kept, ...found].map((resource) => [identityOf(resource), resource])).values()];
  const context: DeleteContext = {
    spoke,
    tracker,
    holder,
    ownerUid: appliedWork.metadata?.uid ?? '',
    asked: memory.deletions,
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
  if (pending.length === 0) memory.deletions.clear();
  return { resources: sortResources([...listed, ...pending]), pending: pending.map(addressOf), errors };
}

/** What is listed of a manifest that could not be found or looked at stays listed: nothing is known against it. */
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
