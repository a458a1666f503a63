import type { AppliedManifestWork, ManifestWork } from '@flotilla/api-types';
import { type CachedResource, isDeleting, KubeError, keyOf } from '@flotilla/kube';
import { semanticEqual } from '@flotilla/kube/meta';
import { type AgentIdentity, adoptionOf, newAppliedWork } from '../applied-work/applied-work.policy.ts';
import { ownLabels } from '../applied-work/label-owners.ts';

/** The AppliedManifestWork of a work, and whether it was created just now, in which case the cache need not have it yet. */
export interface UpsertedWork {
  readonly appliedWork: AppliedManifestWork;
  readonly isNew: boolean;
}

/**
 * Creates or updates the AppliedManifestWork of a work. Labels of the work are passed on, and removed when the work loses them; labels
 * that other clients set are left alone.
 * `created` is what an earlier sync created, if the cache does not have it yet.
 */
export async function upsertAppliedWork(
  appliedWorks: CachedResource<AppliedManifestWork>,
  work: ManifestWork,
  identity: AgentIdentity,
  created: AppliedManifestWork | undefined,
  signal: AbortSignal,
): Promise<UpsertedWork> {
  const wanted = newAppliedWork(work, identity);
  const key = keyOf(wanted);
  const known = appliedWorks.get(key) ?? created ?? (await create());
  const body = isDeleting(known) ? adoptionOf(known, identity) : difference(known, wanted);
  const appliedWork = body ? await appliedWorks.patch(key, { type: 'merge', body }, { signal }) : known;
  return { appliedWork, isNew: !appliedWorks.has(key) };

  async function create(): Promise<AppliedManifestWork> {
    try {
      return await appliedWorks.create(wanted, { signal });
    } catch (error) {
      if (!KubeError.is(error, 'AlreadyExists')) throw error;
      return appliedWorks.resource.get(key, { signal });
    }
  }
}

function difference(known: AppliedManifestWork, wanted: AppliedManifestWork): object | undefined {
  const { uid, resourceVersion, labels = {} } = known.metadata ?? {};
  const wantedLabels = wanted.metadata?.labels ?? {};
  const newLabels = Object.entries(wantedLabels).filter(([key, value]) => labels[key] !== value);
  const oldLabels = ownLabels(known).filter((key) => key in labels && !(key in wantedLabels));
  const changedLabels = [...newLabels, ...oldLabels.map((key) => [key, null] as const)];
  const isSpecRight = semanticEqual(known.spec, wanted.spec);
  if (isSpecRight && changedLabels.length === 0) return undefined;
  return {
    metadata: { uid, resourceVersion, ...(changedLabels.length > 0 && { labels: Object.fromEntries(changedLabels) }) },
    ...(!isSpecRight && { spec: wanted.spec }),
  };
}
