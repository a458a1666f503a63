import { type ManagedCluster, ManagedClusterCondition } from '@flotilla/api-types';
import { type CachedResource, type Clock, findCondition } from '@flotilla/kube';
import type { AccessReviewer } from './access-reviewer.ts';
import type { OpenStreams } from './open-streams.ts';

/** The hub removes the permissions of a cluster some time after the denial. */
const recheckAfterMs = [0, 2000, 10_000, 30_000];

/** What acceptance is followed with. */
export interface AcceptanceDeps {
  readonly clusters: CachedResource<ManagedCluster>;
  readonly reviewer: AccessReviewer;
  readonly streams: OpenStreams;
  readonly clock: Clock;
}

/** Checks the streams of a cluster anew when it is accepted, denied or deleted. Call the result to end. */
export function followAcceptance({ clusters, reviewer, streams, clock }: AcceptanceDeps): () => void {
  const timers = new Set<() => void>();
  const recheck = (name: string) => {
    for (const afterMs of recheckAfterMs) {
      const cancel = clock.schedule(afterMs, () => {
        timers.delete(cancel);
        reviewer.forget(name);
        streams.recheck(name);
      });
      timers.add(cancel);
    }
  };
  const subscription = clusters.changes.subscribe(({ object, previous }) => {
    if (previous === undefined || isUnchanged(object, previous)) return;
    recheck(object.metadata?.name ?? '');
  });
  return () => {
    subscription.unsubscribe();
    for (const cancel of timers) cancel();
  };
}

const isUnchanged = (a: ManagedCluster, b: ManagedCluster): boolean => acceptance(a) === acceptance(b) && a !== b;

const acceptance = ({ metadata, spec, status }: ManagedCluster): string =>
  JSON.stringify([
    metadata?.deletionTimestamp,
    spec?.hubAcceptsClient,
    findCondition(status?.conditions, ManagedClusterCondition.HubAccepted)?.status,
  ]);
