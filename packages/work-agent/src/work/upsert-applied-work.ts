import type { AppliedManifestWork, ManifestWork } from '@flotilla/api-types';
import { type CachedResource, KubeError, keyOf, semanticEqual } from '@flotilla/kube';
import { type AgentIdentity, newAppliedWork } from '../applied-work/applied-work.policy.ts';
import type { WorkMemory } from './memory.ts';

/** The AppliedManifestWork of a work, made or brought up to date. Labels of the work are passed on, those of others are left. */
export async function upsertAppliedWork(
  appliedWorks: CachedResource<AppliedManifestWork>,
  work: ManifestWork,
  identity: AgentIdentity,
  memory: WorkMemory,
  signal: AbortSignal,
): Promise<AppliedManifestWork> {
  const wanted = newAppliedWork(work, identity);
  const key = keyOf(wanted);
  const known = appliedWorks.get(key) ?? memory.appliedWork ?? (await create());
  if (appliedWorks.has(key)) delete memory.appliedWork;
  const body = difference(known, wanted);
  return body ? appliedWorks.patch(key, { type: 'merge', body }, { signal }) : known;

  async function create(): Promise<AppliedManifestWork> {
    try {
      memory.appliedWork = await appliedWorks.create(wanted, { signal });
    } catch (error) {
      if (!KubeError.is(error, 'AlreadyExists')) throw error;
      memory.appliedWork = await appliedWorks.resource.get(key, { signal });
    }
    return memory.appliedWork;
  }
}

function difference(known: AppliedManifestWork, wanted: AppliedManifestWork): object | undefined {
  const { uid, resourceVersion, labels = {}, deletionTimestamp } = known.metadata ?? {};
  if (deletionTimestamp) return undefined;
  const newLabels = Object.entries(wanted.metadata?.labels ?? {}).filter(([key, value]) => labels[key] !== value);
  const isSpecRight = semanticEqual(known.spec, wanted.spec);
  if (isSpecRight && newLabels.length === 0) return undefined;
  return {
    metadata: { uid, resourceVersion, ...(newLabels.length > 0 && { labels: Object.fromEntries(newLabels) }) },
    ...(!isSpecRight && { spec: wanted.spec }),
  };
}
