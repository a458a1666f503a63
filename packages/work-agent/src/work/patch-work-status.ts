import type { ManifestWork, ManifestWorkStatus } from '@flotilla/api-types';
import { type CachedResource, keyOf, semanticEqual } from '@flotilla/kube';

/** Writes those parts of a status that changed; nothing if nothing did. The newest object is answered. */
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
