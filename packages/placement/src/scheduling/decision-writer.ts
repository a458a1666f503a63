import type { Placement, PlacementDecision } from '@flotilla/api-types';
import { type CachedResource, type EventRecorder, joinKey, keyOf } from '@flotilla/kube';
import type { ClusterTotal } from '../engine/schedule-result.ts';
import type { ScheduleStatus } from '../scheduler/schedule-status.ts';
import { type DecisionDifference, ownerOf, type PageDifference } from './decision-difference.ts';
import type { DecisionStore } from './decision-store.ts';
import { createdEvent, deletedEvent, scoreEvent, updatedEvent } from './scheduling.events.ts';

/** What is written, and why. */
export interface DecisionWrite {
  readonly placement: Placement;
  readonly difference: DecisionDifference;
  readonly status: ScheduleStatus;
  /** By which the clusters were selected; empty if no page changes its clusters. */
  readonly totals: readonly ClusterTotal[];
}

/** Writes decisions. Resolves when the server has them; throws the first failure after all pages were tried. */
export type DecisionWriter = (write: DecisionWrite) => Promise<void>;

/** Makes the writer of decisions. `namesOf` gives the names of clusters by their ids. */
export function decisionWriter(
  decisions: CachedResource<PlacementDecision>,
  store: DecisionStore,
  recorder: EventRecorder,
  namesOf: (ids: readonly number[]) => readonly string[],
): DecisionWriter {
  const ensurePage = async (
    placement: Placement,
    { page, known, labels, ownerReferences }: PageDifference,
  ): Promise<PlacementDecision> => {
    const namespace = placement.metadata?.namespace ?? '';
    if (!known) {
      const ownerReferences = [ownerOf(placement)];
      const metadata = { name: page.name, namespace, labels: { ...page.labels }, ownerReferences };
      const created = await decisions.create({ metadata });
      store.observe(created);
      recorder.record(placement, createdEvent(created, placement));
      return created;
    }
    if (!labels && !ownerReferences) return known;
    const { uid, resourceVersion } = known.metadata ?? {};
    const metadata = { uid, resourceVersion, ...(labels && { labels }), ...(ownerReferences && { ownerReferences }) };
    const patched = await decisions.patch(joinKey(namespace, page.name), { type: 'merge', body: { metadata } });
    store.observe(patched);
    return patched;
  };

  /** The page if its clusters changed. */
  const writePage = async (
    { placement, status }: DecisionWrite,
    difference: PageDifference,
  ): Promise<PlacementDecision | undefined> => {
    // Before anything is awaited: the ids may mean other clusters later.
    const names = difference.changesClusters ? namesOf(difference.page.clusters) : [];
    // Labels first: clusters must not be seen under the group that they left.
    const decision = await ensurePage(placement, difference);
    if (!difference.changesClusters) return undefined;
    const { uid, resourceVersion } = decision.metadata ?? {};
    const wanted = names.map((clusterName) => ({ clusterName, reason: '' }));
    const body = { metadata: { uid, resourceVersion }, status: { decisions: wanted } };
    const patched = await decisions.status.patch(keyOf(decision), { type: 'merge', body });
    store.observe(patched);
    recorder.record(placement, updatedEvent(patched, placement, status));
    return patched;
  };

  const deletePage = async (placement: Placement, decision: PlacementDecision): Promise<void> => {
    await decisions.delete(keyOf(decision), { preconditions: { uid: decision.metadata?.uid } });
    store.remove(decision);
    recorder.record(placement, deletedEvent(decision, placement));
  };

  return async (write) => {
    const { placement, difference, totals } = write;
    const results = await Promise.allSettled(difference.pages.map((page) => writePage(write, page)));
    const changed = results.find((result) => result.status === 'fulfilled' && result.value);
    if (changed?.status === 'fulfilled' && changed.value && totals.length > 0) {
      recorder.record(placement, scoreEvent(changed.value, totals));
    }
    throwFirst(results);
    // Last, so that no cluster is in no page for a while because it moved to another.
    throwFirst(await Promise.allSettled(difference.redundant.map((decision) => deletePage(placement, decision))));
  };
}

function throwFirst(results: readonly PromiseSettledResult<unknown>[]): void {
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}
