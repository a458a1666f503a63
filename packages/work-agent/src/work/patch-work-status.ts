import type { ManifestWork, ManifestWorkStatus } from '@flotilla/api-types';
import { type CachedResource, keyOf } from '@flotilla/kube';
import { semanticEqual } from '@flotilla/kube/meta';

/** Writes the parts of a status that changed, if any, and returns the newest object. */
export async function patchWorkStatus(
  works: Pick<CachedResource<ManifestWork>, 'status'>,
  work: ManifestWork,
  next: ManifestWorkStatus,
  signal: AbortSignal,
): Promise<ManifestWork> {
  const { conditions, resourceStatus } = work.status ?? {};
  const status = {
    ...(!semanticEqual(conditions, next.conditions) && { conditions: next.conditions }),
    ...(!semanticEqual(resourceStatus, next.resourceStatus) && { resourceStatus: next.resourceStatus }),
  };
  if (Object.keys(status).length === 0) return work;
  const { uid, resourceVersion } = work.metadata ?? {};
  const body = { metadata: { uid, resourceVersion }, status };
  return works.status.patch(keyOf(work), { type: 'merge', body }, { signal });
}
