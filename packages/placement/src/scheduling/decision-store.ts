import { Label, type PlacementDecision } from '@flotilla/api-types';
import { joinKey, keyOf, splitKey } from '@flotilla/kube';
import { isNotNewer } from '@flotilla/kube/meta';
import type { PlacementEngine } from '../engine/engine.ts';
import type { DecisionPage } from '../scheduler/decision-pages.ts';

/** The key of the placement that a decision is of; one that no placement has, if the label is missing. */
export const placementKeyOf = ({ metadata }: PlacementDecision): string =>
  `${metadata?.namespace ?? ''}/${metadata?.labels?.[Label.Placement] ?? ''}`;

/** A page as the server has it. */
export interface StoredPage {
  readonly decision: PlacementDecision;
  /** Whether it has no more than the names of clusters, as the scheduler writes it. */
  readonly isPlain: boolean;
  /** What it was found to be equal to. */
  equalTo?: DecisionPage<number>;
}

const isPlain = ({ status }: PlacementDecision): boolean =>
  status?.decisions?.every(({ reason, score }) => reason === '' && !score) ?? true;

/**
 * The newest decisions, from watches and from the answers to writes, whichever comes first: a decision that was created a moment
 * ago must not be compared with what the watch still shows. Keeps the engine informed, which has their clusters.
 */
export class DecisionStore {
  readonly #engine: PlacementEngine;
  readonly #pages = new Map<string, StoredPage>();
  /** By the keys of placements, and by name. */
  readonly #byPlacement = new Map<string, Map<string, StoredPage>>();

  constructor(engine: PlacementEngine) {
    this.#engine = engine;
  }

  /** A page of a placement by its name, or one of this name that has the label of another placement. */
  get(placement: string, name: string): StoredPage | undefined {
    const own = this.#byPlacement.get(placement)?.get(name);
    return own ?? this.#pages.get(joinKey(splitKey(placement).namespace ?? '', name));
  }

  /** The pages of a placement. */
  of(placement: string): PlacementDecision[] {
    return [...(this.#byPlacement.get(placement)?.values() ?? [])].map(({ decision }) => decision);
  }

  /** How many pages a placement has. */
  countOf(placement: string): number {
    return this.#byPlacement.get(placement)?.size ?? 0;
  }

  /** The ids of the clusters of a page. */
  clustersOf(decision: PlacementDecision): readonly number[] {
    return this.#engine.decisions.page(placementKeyOf(decision), keyOf(decision)) ?? [];
  }

  observe(decision: PlacementDecision): void {
    const key = keyOf(decision);
    const known = this.#pages.get(key)?.decision;
    const { uid, resourceVersion, name = '' } = decision.metadata ?? {};
    if (known?.metadata?.uid === uid && isNotNewer(resourceVersion, known?.metadata?.resourceVersion)) return;
    if (known) this.#unlink(known);
    const page: StoredPage = { decision, isPlain: isPlain(decision) };
    this.#pages.set(key, page);
    const placement = placementKeyOf(decision);
    const pages = this.#byPlacement.get(placement);
    if (pages) pages.set(name, page);
    else this.#byPlacement.set(placement, new Map([[name, page]]));
    const clusters = (decision.status?.decisions ?? []).map(({ clusterName }) => clusterName);
    this.#engine.decisions.setPage(placement, key, clusters);
  }

  remove(decision: PlacementDecision): void {
    const key = keyOf(decision);
    const known = this.#pages.get(key)?.decision;
    // A namesake that was created since stays.
    if (!known || known.metadata?.uid !== decision.metadata?.uid) return;
    this.#unlink(known);
    this.#pages.delete(key);
    this.#engine.decisions.deletePage(key);
  }

  #unlink(decision: PlacementDecision): void {
    const placement = placementKeyOf(decision);
    const pages = this.#byPlacement.get(placement);
    pages?.delete(decision.metadata?.name ?? '');
    if (pages?.size === 0) this.#byPlacement.delete(placement);
  }
}
