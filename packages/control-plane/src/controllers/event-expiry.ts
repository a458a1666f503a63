import type { KubeObject } from '@flotilla/api-types';
import { type Clock, keyOf, type ObjectKey, parseTime } from '@flotilla/kube';
import type { Storage } from '../storage/storage.ts';

const events = '/events';
/** As kube-apiserver: an event is forgotten an hour after it was last written. */
const eventLifeMs = 3_600_000;

interface Lease {
  readonly key: ObjectKey;
  readonly resourceVersion: string | undefined;
  readonly end: number;
}

/** Forgets events when they are old, until the returned function is called. One timer, however many events there are. */
export function expireEvents(
  storage: Pick<Storage, 'list' | 'get' | 'delete' | 'subscribe'>,
  clock: Clock,
  lifeMs = eventLifeMs,
): () => void {
  // In the order of their ends, as every write gives the same time.
  const leases: Lease[] = storage
    .list(events)
    .map((event) => leaseOf(event, writtenAt(event, clock.now()) + lifeMs))
    .sort((left, right) => left.end - right.end);
  let first = 0;
  let cancel: (() => void) | undefined;

  const arm = (): void => {
    const next = leases[first];
    if (!next || cancel) return;
    cancel = clock.schedule(Math.max(0, next.end - clock.now()), () => {
      cancel = undefined;
      forgetDue();
      arm();
    });
  };
  const forgetDue = (): void => {
    for (let next = leases[first]; next && next.end <= clock.now(); next = leases[++first]) {
      const event = storage.get(events, next.key);
      // Written again since then, it has a later lease.
      if (event && event.metadata?.resourceVersion === next.resourceVersion) storage.delete(events, next.key);
    }
    leases.splice(0, first);
    first = 0;
  };
  const stopListening = storage.subscribe(events, ({ type, object }) => {
    if (type === 'DELETED') return;
    leases.push(leaseOf(object, clock.now() + lifeMs));
    arm();
  });
  arm();
  return () => {
    stopListening();
    cancel?.();
  };
}

const leaseOf = (event: KubeObject, end: number): Lease => ({
  key: keyOf(event),
  resourceVersion: event.metadata?.resourceVersion,
  end,
});

/** When an event that was there before the start was last written, as far as it says. */
function writtenAt(event: KubeObject & { lastTimestamp?: string }, now: number): number {
  return parseTime(event.lastTimestamp) ?? parseTime(event.metadata?.creationTimestamp) ?? now;
}
