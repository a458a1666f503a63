import { type AppliedManifestResource, appliedManifestWorks } from '@flotilla/api-types';
import { isAbsence, type KubeClient, KubeError } from '@flotilla/kube';
import { apiVersionOf } from '@flotilla/kube/meta';
import type { ObjectMeta } from '@flotilla/schema';
import type { ObjectTracker } from '../watch/object-tracker.ts';
import { addressOf } from './applied-work.policy.ts';

/** What becomes of an applied object that no manifest names any more. */
export type Deletion = 'forget' | 'release' | 'wait' | 'delete';

/** Decides by the object's metadata; undefined metadata means that it does not exist. */
export function decideDeletion(
  metadata: ObjectMeta | undefined,
  recordedUid: string | undefined,
  ownerUid: string,
): Deletion {
  const owners = metadata?.ownerReferences ?? [];
  // Orphaned, read-only, or never ours.
  if (!metadata || !owners.some(({ uid }) => uid === ownerUid)) return 'forget';
  const isShared = owners.some(
    ({ kind, apiVersion, uid }) =>
      kind === appliedManifestWorks.kind && apiVersion === apiVersionOf(appliedManifestWorks) && uid !== ownerUid,
  );
  if (isShared) return 'release';
  // Another object of the same name.
  if (!recordedUid || metadata.uid !== recordedUid) return 'forget';
  return metadata.deletionTimestamp ? 'wait' : 'delete';
}

/** What deleting needs. */
export interface DeleteContext {
  readonly spoke: Pick<KubeClient, 'metadata'>;
  readonly tracker: ObjectTracker;
  /** The holder to wake when the object is gone. */
  readonly holder: string;
  /** Of the AppliedManifestWork that owned it. */
  readonly ownerUid: string;
  /** Uids whose deletion was requested, to which this adds: an event of the watch follows. */
  readonly requested: Set<string>;
  readonly signal: AbortSignal;
}

/** Deletes an applied object, or gives it up if it is not ours alone. True if it is still there and must be waited for. */
export async function deleteApplied(resource: AppliedManifestResource, context: DeleteContext): Promise<boolean> {
  const { spoke, tracker, holder, ownerUid, requested, signal } = context;
  const address = addressOf(resource);
  const handle = spoke.metadata(address.type);
  tracker.track(holder, address);
  const cached = tracker.cached(address);
  const metadata =
    cached.kind === 'present'
      ? cached.metadata
      : cached.kind === 'deleted'
        ? undefined
        : await find(() => handle.get(address.key, { signal }));
  if (metadata && cached.kind === 'unknown') tracker.advance(holder, address, metadata);
  switch (decideDeletion(metadata, resource.uid, ownerUid)) {
    case 'forget':
      return false;
    case 'release':
      await find(() => handle.patch(address.key, withoutOwner(metadata ?? {}, ownerUid), { signal }));
      return false;
    case 'wait':
      return true;
    case 'delete': {
      const uid = resource.uid ?? '';
      if (requested.has(uid) && tracker.isFollowing(address)) return true;
      try {
        await handle.delete(address.key, { preconditions: { uid }, propagationPolicy: 'Background', signal });
      } catch (error) {
        if (KubeError.is(error, 'Conflict')) return false;
        throw error;
      }
      requested.add(uid);
      return true;
    }
  }
}

/** A missing object, or a missing kind, is not an error here. */
async function find(request: () => Promise<{ metadata?: ObjectMeta }>): Promise<ObjectMeta | undefined> {
  try {
    return (await request()).metadata;
  } catch (error) {
    if (isAbsence(error) || KubeError.is(error, 'NotFound')) return undefined;
    throw error;
  }
}

const withoutOwner = ({ uid, resourceVersion, ownerReferences = [] }: ObjectMeta, ownerUid: string) =>
  ({
    type: 'merge',
    body: {
      metadata: { uid, resourceVersion, ownerReferences: ownerReferences.filter((owner) => owner.uid !== ownerUid) },
    },
  }) as const;
