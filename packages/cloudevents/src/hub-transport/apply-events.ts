import type { ManifestWork } from '@flotilla/api-types';
import type { KubeObject } from '@flotilla/schema';
import { decodeBundle } from '../codecs/manifest-bundle.ts';
import type { ObjectCodec } from '../codecs/object-codec.ts';
import { type CloudEvent, deletionTimestamp, Extension, stringExtension } from '../event/cloud-event.ts';
import type { Replica } from './replica.ts';

/** An object replaces what is known of it. One that is being deleted stays as long as it has finalizers. */
export const applyObjectEvent =
  <T extends KubeObject>(codec: ObjectCodec<T>) =>
  (replica: Replica<T>, event: CloudEvent): void => {
    const object = codec.decode(event);
    const { uid, finalizers = [], deletionTimestamp: started } = object.metadata ?? {};
    // Servers of OCM before v1.3 send a lease that is gone as it was last.
    if ((deletionTimestamp(event) || started) && finalizers.length === 0) replica.remove(uid);
    else replica.put(object, object.metadata?.resourceVersion ?? '', stringExtension(event, Extension.ResourceId));
  };

/**
 * A ManifestWork takes its spec and metadata from the hub, and keeps the finalizers and the status of this side. One that is being deleted
 * always has the finalizer, so that the agent cleans up and reports it; `isReleased` says which were reported already.
 */
export const applyWorkEvent =
  (isReleased: (uid: string) => boolean) =>
  (replica: Replica<ManifestWork>, event: CloudEvent): void => {
    const work = decodeBundle(event);
    const {
      uid = '',
      generation = 0,
      deletionTimestamp: deleted,
      finalizers: forced,
      ...metadata
    } = work.metadata ?? {};
    const known = replica.byId(uid)?.object;
    if (deleted ? !known && isReleased(uid) : generation < (known?.metadata?.generation ?? 0)) return;
    const finalizers = known?.metadata?.finalizers?.length ? known.metadata.finalizers : deleted ? forced : undefined;
    const spec = deleted ? known?.spec : work.spec;
    replica.put(
      {
        ...work,
        metadata: {
          ...metadata,
          uid,
          generation,
          ...(deleted && { deletionTimestamp: deleted }),
          ...(finalizers && { finalizers }),
        },
        ...(spec && { spec }),
        ...(known?.status && { status: known.status }),
      },
      String(generation),
    );
  };
