import { type ManifestWork, manifestWorks } from '@flotilla/api-types';
import { apiVersionOf, formatTime } from '@flotilla/kube/meta';
import { encodeBundleStatus } from '../codecs/manifest-bundle.ts';
import { dataTypes } from '../event/data-type.ts';
import { sequenceIds } from '../event/sequence-id.ts';
import { metadataDigest } from '../resync/metadata-digest.ts';
import { applyWorkEvent } from './apply-events.ts';
import type { HubContext } from './hub-context.ts';
import type { HubKind } from './hub-kind.ts';
import { SyncedKind } from './synced-kind.ts';
import { reportUnusable } from './unusable-work.ts';

/** How many released works are remembered: the hub sends the deletion of each once more. */
const maxReleased = 10_000;

/**
 * ManifestWorks. Finalizers are those of this side, and are not sent. The status is sent, and when a work that is being deleted has no
 * finalizer any more, that it is removed.
 */
export function workKind(context: HubContext, source: string): HubKind<ManifestWork> {
  const { client, clock } = context;
  const nextSequenceId = sequenceIds(clock);
  const released = new Set<string>();
  let opened: SyncedKind<ManifestWork> | undefined;
  const synced = () => {
    const apply = applyWorkEvent((uid) => released.has(uid));
    const dataType = dataTypes.manifestBundles;
    const digest = ({ metadata = {} }: ManifestWork) => metadataDigest(metadata);
    const onUnusable = reportUnusable(context, {
      source,
      nextSequenceId,
      statusOf: (uid) => opened?.replica.byId(uid)?.object.status,
    });
    opened ??= context.own(new SyncedKind<ManifestWork>({ ...context, source, dataType, apply, digest, onUnusable }));
    return opened;
  };
  return {
    apiVersion: apiVersionOf(manifestWorks),
    kind: manifestWorks.kind,
    synced,
    async write({ entry, next, subresource, signal, deadlineMs }) {
      const { replica } = synced();
      const report = (work: ManifestWork) =>
        client.publish(encodeBundleStatus(work, { source, now: clock.now() }, nextSequenceId()), {
          deadlineMs,
          ...(signal && { signal }),
        });
      const { deletionTimestamp, finalizers = [], uid = '' } = next.metadata ?? {};
      if (subresource === 'status') {
        await report(next);
        // The hub may have sent something meanwhile, such as that the work is deleted: only the status is this side's.
        const current = replica.byId(uid);
        return current ? replica.put({ ...current.object, status: next.status }, current.hubVersion).object : next;
      }
      if (deletionTimestamp && finalizers.length === 0) {
        await report(removedWork(next, context));
        released.add(uid);
        for (const oldest of released) {
          if (released.size <= maxReleased) break;
          released.delete(oldest);
        }
        replica.remove(uid);
        return next;
      }
      return replica.put(next, entry.hubVersion).object;
    },
  };
}

/** The last report on a work, in the words of OCM. */
function removedWork(work: ManifestWork, { clusterName, clock }: HubContext): ManifestWork {
  const { finalizers: _none, ...metadata } = work.metadata ?? {};
  const deleted = {
    type: 'Deleted',
    status: 'True',
    reason: 'ManifestsDeleted',
    message: `The manifests are deleted from the cluster ${clusterName}`,
    lastTransitionTime: formatTime(clock.now()),
  } as const;
  const others = work.status?.conditions?.filter(({ type }) => type !== deleted.type) ?? [];
  return { ...work, metadata, status: { ...work.status, conditions: [...others, deleted] } };
}
