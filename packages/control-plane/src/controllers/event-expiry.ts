import { type Clock, keyOf, type Logger, type ObjectKey } from '@flotilla/kube';
import { parseTime } from '@flotilla/kube/meta';
import type { KubeObject } from '@flotilla/schema';
import type { Storage } from '../contracts/storage.ts';

const events = '/events';
/** As kube-apiserver: an event is deleted an hour after it was last written. */
const eventLifeMs = 3_600_000;
const retryMs = 5000;

interface Lease {
  readonly key: ObjectKey;
  readonly resourceVersion: string | undefined;
  /** By the monotonic clock. */
  readonly end: number;
}

export interface EventExpiryOptions {
  readonly storage: Pick<Storage, 'list' | 'get' | 'delete' | 'subscribe'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Deletes events when they are old, until the returned function is called. One timer, however many events there are. */
export function expireEvents({ storage, clock, log }: EventExpiryOptions): () => void {
  // In the order of their ends, as every write gives the same time.
  const leases: Lease[] = storage
    .list(events)
    .map((event) => leaseOf(event, clock.monotonic() - ageOf(event, clock.now()) + eventLifeMs))
    .sort((left, right) => left.end - right.end);
  let first = 0;
  let cancel: (() => void) | undefined;

  const arm = (atLeastMs = 0): void => {
    const next = leases[first];
    if (!next || cancel) return;
    cancel = clock.schedule(Math.max(atLeastMs, next.end - clock.monotonic()), () => {
      cancel = undefined;
      try {
        deleteDue();
        arm();
      } catch (error) {
        // The disk may be full: no request waits for this, so it can only be tried again.
        log.error('expired events could not be deleted', { error });
        arm(retryMs);
      }
    });
  };
  const deleteDue = (): void => {
    for (let next = leases[first]; next && next.end <= clock.monotonic(); next = leases[++first]) {
      const event = storage.get(events, next.key);
      // Written again since then, it has a later lease.
      if (event && event.metadata?.resourceVersion === next.resourceVersion) storage.delete(events, next.key);
    }
    leases.splice(0, first);
    first = 0;
  };
  const stopListening = storage.subscribe(events, ({ type, object }) => {
    if (type === 'DELETED') return;
    leases.push(leaseOf(object, clock.monotonic() + eventLifeMs));
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

/** How long ago an event that was there before the start was last written, as far as it says. */
function ageOf(event: KubeObject & { lastTimestamp?: string }, now: number): number {
  return now - (parseTime(event.lastTimestamp) ?? parseTime(event.metadata?.creationTimestamp) ?? now);
}
