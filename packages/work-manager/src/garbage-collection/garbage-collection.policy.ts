import { Label, type ManifestWork, ManifestWorkCondition } from '@flotilla/api-types';
import { findCondition, isDeleting } from '@flotilla/kube';

/** What becomes of a work: stays, stays for so long yet, or goes. */
export type Decision =
  | { readonly kind: 'keep' }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'delete' };

const keep: Decision = { kind: 'keep' };

/** Whether a work has outlived its completion. Works of a replica set are the replica set's business. */
export function decideOnCompletion(work: ManifestWork, now: number): Decision {
  if (isDeleting(work) || work.metadata?.labels?.[Label.ManifestWorkReplicaSet] !== undefined) return keep;
  const ttlSeconds = work.spec?.deleteOption?.ttlSecondsAfterFinished ?? undefined;
  if (ttlSeconds === undefined) return keep;
  const complete = findCondition(work.status?.conditions, ManifestWorkCondition.Complete);
  if (complete?.status !== 'True') return keep;
  if (ttlSeconds <= 0) return { kind: 'delete' };
  const ms = Date.parse(complete.lastTransitionTime) + ttlSeconds * 1000 - now;
  return ms > 0 ? { kind: 'wait', ms } : { kind: 'delete' };
}

/** A work without the fields that are not used: there may be very many, with half a megabyte of manifests each. */
export const completionOf = ({ metadata, spec, status }: ManifestWork): ManifestWork => ({
  metadata: {
    name: metadata?.name,
    namespace: metadata?.namespace,
    uid: metadata?.uid,
    resourceVersion: metadata?.resourceVersion,
    labels: metadata?.labels,
    deletionTimestamp: metadata?.deletionTimestamp,
  },
  spec: { deleteOption: spec?.deleteOption },
  status: { conditions: status?.conditions?.filter(({ type }) => type === ManifestWorkCondition.Complete) },
});
