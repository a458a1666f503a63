import type { Clock } from '@flotilla/kube';
import { apiVersionOf } from '@flotilla/kube/meta';
import type { KubeObject } from '@flotilla/schema';
import type { ObjectCodec } from '../codecs/object-codec.ts';
import type { HubAnnouncement } from '../event/announcement.ts';
import { applyObjectEvent } from './apply-events.ts';
import type { HubContext } from './hub-context.ts';
import type { HubKind, ReplicaWrite } from './hub-kind.ts';
import { keyOf, type ReplicaEntry } from './replica.ts';
import { refusal } from './request-target.ts';
import { SyncedKind } from './synced-kind.ts';

/** How long the hub may take to send back what was written. */
const echoMs = 2000;

/** What agents may do with a kind. */
export interface ObjectKindOptions {
  readonly create?: boolean;
  /** The parts that can be written. */
  readonly update?: readonly ('spec' | 'status')[];
  readonly onAnnouncement?: (announcement: HubAnnouncement) => void;
}

/** A kind whose objects travel as they are. A write resolves with what the hub sent back. */
export function objectKind<T extends KubeObject>(
  context: HubContext,
  codec: ObjectCodec<T>,
  { create = false, update = [], onAnnouncement }: ObjectKindOptions,
): HubKind<T> {
  const { client, clusterName, clock } = context;
  let opened: SyncedKind<T> | undefined;
  const synced = () => {
    opened ??= context.own(
      new SyncedKind<T>({
        ...context,
        source: clusterName,
        dataType: codec.dataType,
        apply: applyObjectEvent(codec),
        ...(onAnnouncement && { onAnnouncement }),
      }),
    );
    return opened;
  };
  const purpose = (subresource: 'spec' | 'status', action: 'create_request' | 'update_request') =>
    ({ source: clusterName, now: clock.now(), subresource, action }) as const;

  return {
    apiVersion: apiVersionOf(codec.resource),
    kind: codec.resource.kind,
    synced,
    ...(create && {
      async create(object, request) {
        // What is known here need not be asked for on the hub.
        if (opened?.replica.get(keyOf(object))) throw refusal('AlreadyExists', request, object.metadata?.name);
        const { signal, deadlineMs } = request;
        const { generateName: _used, ...metadata } = object.metadata ?? {};
        // Whoever creates an object over gRPC names it, as the echo is found by the name.
        const event = codec.encode({ ...object, metadata }, purpose('spec', 'create_request'));
        await client.publish(event, { ...(signal && { signal }), ...(deadlineMs !== undefined && { deadlineMs }) });
        return (await echo(clock, synced(), keyOf(object), undefined)) ?? object;
      },
    }),
    ...(update.length > 0 && {
      async write({ entry, next, subresource, signal, deadlineMs }: ReplicaWrite<T>) {
        const part = subresource === 'status' ? 'status' : 'spec';
        // The hub knows its own version, not that of the replica.
        const object = { ...next, metadata: { ...next.metadata, resourceVersion: entry.hubVersion } };
        await client.publish(codec.encode(object, purpose(part, 'update_request')), {
          deadlineMs,
          ...(signal && { signal }),
        });
        return (await echo(clock, synced(), keyOf(next), entry)) ?? next;
      },
    }),
  };
}

/** What the hub has of an object once that differs from what was known. */
async function echo<T extends KubeObject>(
  clock: Clock,
  { replica }: SyncedKind<T>,
  key: string,
  known: ReplicaEntry<T> | undefined,
): Promise<T | undefined> {
  const current = () => {
    const entry = replica.get(key);
    return entry && entry.hubVersion !== known?.hubVersion ? entry.object : undefined;
  };
  return (
    current() ??
    new Promise((resolve) => {
      const done = () => {
        cancel();
        stop();
        resolve(current());
      };
      const cancel = clock.schedule(echoMs, done);
      const stop = replica.listen(() => current() && done());
    })
  );
}
