import { type Placement, type PlacementDecision, placements } from '@flotilla/api-types';
import { joinKey, keyOf, ownerReferenceTo } from '@flotilla/kube';
import { controllerOf, isOwnedBy } from '@flotilla/kube/meta';
import type { PageChange } from '../engine/decision-state.ts';
import type { DecisionPage } from '../scheduler/decision-pages.ts';
import type { DecisionStore, StoredPage } from './decision-store.ts';

/** What must be written so that a page is as it should be. */
export interface PageDifference {
  readonly page: DecisionPage<number>;
  /** Undefined if the page is missing. */
  readonly known: PlacementDecision | undefined;
  /** Labels as a merge patch: those that are there and not wanted go. */
  readonly labels?: Readonly<Record<string, string | null>> | undefined;
  readonly ownerReferences?: NonNullable<PlacementDecision['metadata']>['ownerReferences'];
  readonly changesClusters: boolean;
}

/** What must be written so that the decisions of a placement are as they should be. */
export interface DecisionDifference {
  readonly pages: readonly PageDifference[];
  readonly redundant: readonly PlacementDecision[];
}

export const ownerOf = (placement: Placement) =>
  ownerReferenceTo(placements, placement, { controller: true, blockOwnerDeletion: true });

function labelPatch(current: Readonly<Record<string, string>> = {}, wanted: Readonly<Record<string, string>>) {
  let isSame = true;
  for (const key in wanted) if (current[key] !== wanted[key]) isSame = false;
  for (const key in current) if (!(key in wanted)) isSame = false;
  if (isSame) return undefined;
  const gone = Object.keys(current).filter((key) => !(key in wanted));
  return { ...wanted, ...Object.fromEntries(gone.map((key) => [key, null])) };
}

/** The owner of a page is repaired unless it has another controller. */
function ownerPatch(decision: PlacementDecision, placement: Placement) {
  if (isOwnedBy(decision, placement) || controllerOf(decision)) return undefined;
  return [...(decision.metadata?.ownerReferences ?? []), ownerOf(placement)];
}

function hasClusters(store: DecisionStore, { decision, isPlain }: StoredPage, wanted: readonly number[]): boolean {
  const ids = store.clustersOf(decision);
  return isPlain && ids.length === wanted.length && ids.every((id, index) => id === wanted[index]);
}

function pageDifference(
  store: DecisionStore,
  placement: Placement,
  key: string,
  page: DecisionPage<number>,
): PageDifference | undefined {
  const stored = store.get(key, page.name);
  if (!stored) return { page, known: undefined, changesClusters: page.clusters.length > 0 };
  if (stored.equalTo === page) return undefined;
  const { decision } = stored;
  const labels = labelPatch(decision.metadata?.labels, page.labels);
  const ownerReferences = ownerPatch(decision, placement);
  const changesClusters = !hasClusters(store, stored, page.clusters);
  if (labels || ownerReferences || changesClusters) {
    return { page, known: decision, labels, ...(ownerReferences && { ownerReferences }), changesClusters };
  }
  stored.equalTo = page;
  return undefined;
}

/** Compares the decisions of a placement with those that it should have. */
export function differenceOf(
  store: DecisionStore,
  placement: Placement,
  pages: readonly DecisionPage<number>[],
): DecisionDifference {
  const key = keyOf(placement);
  const differences: PageDifference[] = [];
  for (const page of pages) {
    const difference = pageDifference(store, placement, key, page);
    if (difference) differences.push(difference);
  }
  const missing = differences.filter(({ known }) => !known).length;
  const present = pages.length - missing;
  // Most of the time there are none, and then their names need not be compared.
  if (store.countOf(key) === present && differences.every(({ labels }) => !labels)) {
    return { pages: differences, redundant: [] };
  }
  const names = new Set(pages.map(({ name }) => name));
  const redundant = store.of(key).filter(({ metadata }) => !names.has(metadata?.name ?? ''));
  return { pages: differences, redundant };
}

/** The pages that a difference changes, as they are going to be. */
export const pageChanges = ({ metadata }: Placement, { pages, redundant }: DecisionDifference): PageChange[] => [
  ...pages.map(({ page: { name, clusters } }) => ({ page: joinKey(metadata?.namespace ?? '', name), clusters })),
  ...redundant.map((decision) => ({ page: keyOf(decision), clusters: [] })),
];
