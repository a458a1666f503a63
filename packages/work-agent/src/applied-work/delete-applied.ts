import { type AppliedManifestResource, appliedManifestWorks, type ObjectMeta } from '@flotilla/api-types';
import { apiVersionOf, isAbsence, type KubeClient, KubeError } from '@flotilla/kube';
import type { ObjectTracker } from '../watch/object-tracker.ts';
import { addressOf } from './applied-work.policy.ts';

/** What becomes of an applied object when nobody wants it any more. */
export type Deletion = 'forget' | 'release' | 'wait' | 'delete';

/** Decides by the object's metadata; undefined metadata means that it does not exist. */
export function judgeDeletion(
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
  /** Who is woken when the object is gone. */
  readonly holder: string;
  /** Of the AppliedManifestWork that owned it. */
  readonly ownerUid: string;
  /** Uids whose deletion was asked for: the watch tells the rest. */
  readonly asked: Set<string>;
  readonly signal: AbortSignal;
}

/** Deletes an applied object, or gives it up if it is not ours alone. True if it is still there and must be waited for. */
export async function deleteApplied(resource: AppliedManifestResource, context: DeleteContext): Promise<boolean> {
  const { spoke, tracker, holder, ownerUid, asked, signal } = context;
  const address = addressOf(resource);
  const handle = spoke.metadata(address.type);
  tracker.track(holder, address);
  const sighting = tracker.look(address);
  const metadata =
    sighting.kind === 'seen'
      ? sighting.metadata
      : sighting.kind === 'gone'
        ? undefined
        : await find(() => handle.get(address.key, { signal }));
  if (metadata && sighting.kind === 'unknown') tracker.advance(holder, address, metadata);
  switch (judgeDeletion(metadata, resource.uid, ownerUid)) {
    case 'forget':
      return false;
    case 'release':
      await find(() => handle.patch(address.key, withoutOwner(metadata ?? {}, ownerUid), { signal }));
      return false;
    case 'wait':
      return true;
    case 'delete': {
      const uid = resource.uid ?? '';
      if (asked.has(uid) && tracker.isFollowing(address)) return true;
      try {
        await handle.delete(address.key, { preconditions: { uid }, propagationPolicy: 'Background', signal });
      } catch (error) {
        if (KubeError.is(error, 'Conflict')) return false;
        throw error;
      }
      asked.add(uid);
      return true;
    }
  }
}

/** Absence of the object, or of its whole kind, is no error here. */
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
