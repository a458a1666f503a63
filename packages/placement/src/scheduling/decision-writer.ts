import type { Placement, PlacementDecision } from '@flotilla/api-types';
import { type CachedResource, type EventRecorder, joinKey, keyOf } from '@flotilla/kube';
import type { ClusterTotal } from '../engine/schedule-result.ts';
import type { ScheduleStatus } from '../scheduler/schedule-status.ts';
import { type DecisionDifference, ownerOf, type PageDifference } from './decision-difference.ts';
import { pageOrder } from './decision-order.ts';
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

/** A page, and the clusters that it gets now. */
interface PageWrite {
  readonly difference: PageDifference;
  readonly names: readonly string[];
  /** Whether it was written before, with clusters that leave it now. */
  readonly isSecond?: boolean;
}

const clustersOf = (decision: PlacementDecision | undefined): readonly string[] =>
  (decision?.status?.decisions ?? []).map(({ clusterName }) => clusterName);

/** Writes decisions. Resolves when the server has them; throws the first failure after all pages were tried. */
export type DecisionWriter = (write: DecisionWrite) => Promise<void>;

/** Makes the writer of decisions. `namesOf` gives the names of clusters by their ids. */
export function decisionWriter(...deps: ConstructorParameters<typeof PageWriter>): DecisionWriter {
  const writer = new PageWriter(...deps);
  return (write) => writer.write(write);
}

class PageWriter {
  readonly #decisions: CachedResource<PlacementDecision>;
  readonly #store: DecisionStore;
  readonly #recorder: EventRecorder;
  readonly #namesOf: (ids: readonly number[]) => readonly string[];

  constructor(
    decisions: CachedResource<PlacementDecision>,
    store: DecisionStore,
    recorder: EventRecorder,
    namesOf: (ids: readonly number[]) => readonly string[],
  ) {
    this.#decisions = decisions;
    this.#store = store;
    this.#recorder = recorder;
    this.#namesOf = namesOf;
  }

  async write(write: DecisionWrite): Promise<void> {
    const { placement, difference, totals } = write;
    const { early, late } = this.#inOrder(difference.pages);
    const results = await Promise.allSettled(early.map((page) => this.#writePage(write, page)));
    // Clusters leave no page before another has them.
    if (results.every(({ status }) => status === 'fulfilled')) {
      results.push(...(await Promise.allSettled(late.map((page) => this.#writePage(write, page)))));
    }
    const changed = results.find((result) => result.status === 'fulfilled' && result.value);
    if (changed?.status === 'fulfilled' && changed.value && totals.length > 0) {
      this.#recorder.record(placement, scoreEvent(changed.value, totals));
    }
    throwFirst(results);
    // Last, so that no cluster is in no page for a while because it moved to another.
    throwFirst(await Promise.allSettled(difference.redundant.map((decision) => this.#deletePage(placement, decision))));
  }

  /** The writes of pages, by name of cluster, before anything is awaited: the ids may mean other clusters later. */
  #inOrder(differences: readonly PageDifference[]): { readonly early: PageWrite[]; readonly late: PageWrite[] } {
    const clusters = differences.map(({ page, known, changesClusters }) => {
      const present = clustersOf(known);
      return { present, wanted: changesClusters ? this.#namesOf(page.clusters) : present };
    });
    const early: PageWrite[] = [];
    const late: PageWrite[] = [];
    for (const [index, { first, isLast }] of pageOrder(clusters).entries()) {
      const difference = differences[index];
      const wanted = clusters[index]?.wanted;
      if (!difference || !wanted) continue;
      if (first) early.push({ difference, names: first });
      if (isLast) late.push({ difference, names: wanted, isSecond: first !== undefined });
    }
    return { early, late };
  }

  async #ensurePage(
    placement: Placement,
    { page, known, labels, ownerReferences }: PageDifference,
  ): Promise<PlacementDecision> {
    const namespace = placement.metadata?.namespace ?? '';
    if (!known) {
      const ownerReferences = [ownerOf(placement)];
      const metadata = { name: page.name, namespace, labels: { ...page.labels }, ownerReferences };
      const created = await this.#decisions.create({ metadata });
      this.#store.observe(created);
      this.#recorder.record(placement, createdEvent(created, placement));
      return created;
    }
    if (!labels && !ownerReferences) return known;
    const { uid, resourceVersion } = known.metadata ?? {};
    const metadata = { uid, resourceVersion, ...(labels && { labels }), ...(ownerReferences && { ownerReferences }) };
    const patched = await this.#decisions.patch(joinKey(namespace, page.name), { type: 'merge', body: { metadata } });
    this.#store.observe(patched);
    return patched;
  }

  /** The page if its clusters changed. */
  async #writePage(
    { placement, status }: DecisionWrite,
    { difference, names, isSecond = false }: PageWrite,
  ): Promise<PlacementDecision | undefined> {
    // Labels first: clusters must not be seen under the group that they left.
    const written = isSecond ? this.#store.get(keyOf(placement), difference.page.name)?.decision : undefined;
    const decision = written ?? (await this.#ensurePage(placement, difference));
    if (!difference.changesClusters) return undefined;
    const { uid, resourceVersion } = decision.metadata ?? {};
    const wanted = names.map((clusterName) => ({ clusterName, reason: '' }));
    const body = { metadata: { uid, resourceVersion }, status: { decisions: wanted } };
    const patched = await this.#decisions.status.patch(keyOf(decision), { type: 'merge', body });
    this.#store.observe(patched);
    this.#recorder.record(placement, updatedEvent(patched, placement, status));
    return patched;
  }

  async #deletePage(placement: Placement, decision: PlacementDecision): Promise<void> {
    await this.#decisions.delete(keyOf(decision), { preconditions: { uid: decision.metadata?.uid } });
    this.#store.remove(decision);
    this.#recorder.record(placement, deletedEvent(decision, placement));
  }
}

function throwFirst(results: readonly PromiseSettledResult<unknown>[]): void {
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}
