import type { AppliedManifestWork, ManifestWork } from '@flotilla/api-types';
import { type CachedResource, isDeleting } from '@flotilla/kube';
import { addressOf, appliedWorkName } from '../applied-work/applied-work.policy.ts';
import type { AppliedObject } from '../watch/first-reads.ts';

/**
 * What works had applied when the agent started, by their records. Works with an executor are left out: what its service account is not
 * allowed to get must not be read, so these objects are read one by one, after the check.
 */
export function appliedBefore(
  works: Pick<CachedResource<ManifestWork>, 'list'>,
  appliedWorks: Pick<CachedResource<AppliedManifestWork>, 'get'>,
  hubHash: string,
  holderOf: (work: ManifestWork) => string,
): AppliedObject[] {
  return works.list().flatMap((work) => {
    if (isDeleting(work) || work.spec?.executor) return [];
    const record = appliedWorks.get(appliedWorkName(hubHash, work.metadata?.name ?? ''));
    const holder = holderOf(work);
    return (record?.status?.appliedResources ?? []).map((applied) => ({ holder, address: addressOf(applied) }));
  });
}
