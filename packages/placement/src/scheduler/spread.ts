import type { PlacementSpec } from '@flotilla/api-types';
import type { ClusterView } from './cluster-view.ts';
import type { Selection } from './select.ts';

/** A limit on how uneven the selected clusters may be spread over topologies. */
export type SpreadConstraint = NonNullable<NonNullable<PlacementSpec['spreadPolicy']>['spreadConstraints']>[number];

/** How much the spread counts against the prioritizers. */
const spreadWeight = 2;
/** Scores of one level are below this, so that an earlier constraint always outweighs the later ones. */
const levelBase = 64;

/** What a cluster counts for: its topology at each level, where a later level lies inside the earlier ones. */
interface Candidate<T> {
  readonly cluster: T;
  readonly total: number;
  readonly topologies: readonly string[];
}

/** The topologies of a cluster, one for each constraint. A cluster without the label or claim is in a topology of its own kind. */
function topologiesOf(constraints: readonly SpreadConstraint[], { labels, claims }: ClusterView): string[] {
  let path = '';
  return constraints.map(({ topologyKey, topologyKeyType }) => {
    const value = (topologyKeyType === 'Claim' ? claims : labels)[topologyKey] ?? '';
    path = `${path}/${JSON.stringify(value)}`;
    return path;
  });
}

const parentOf = (topology: string): string => topology.slice(0, topology.lastIndexOf('/"'));

/** Selected clusters by topology, with the bounds among topologies that have the same parent. */
class TopologyCounts {
  readonly #counts = new Map<string, number>();
  readonly #siblings = new Map<string, Set<string>>();

  /** Makes a topology known, so that an empty one counts as the least. */
  register(topology: string): void {
    if (this.#counts.has(topology)) return;
    this.#counts.set(topology, 0);
    const parent = parentOf(topology);
    const siblings = this.#siblings.get(parent);
    if (siblings) siblings.add(topology);
    else this.#siblings.set(parent, new Set([topology]));
  }

  add(topology: string): void {
    this.#counts.set(topology, this.of(topology) + 1);
  }

  of(topology: string): number {
    return this.#counts.get(topology) ?? 0;
  }

  bounds(topology: string): { readonly least: number; readonly most: number } {
    const counts = [...(this.#siblings.get(parentOf(topology)) ?? [])].map((sibling) => this.of(sibling));
    return { least: Math.min(...counts), most: Math.max(...counts) };
  }
}

/** Whether selecting a cluster keeps every strict constraint. */
const isAllowed = (
  constraints: readonly SpreadConstraint[],
  counts: TopologyCounts,
  topologies: readonly string[],
): boolean =>
  constraints.every(({ whenUnsatisfiable, maxSkew = 1 }, level) => {
    const topology = topologies[level] ?? '';
    return whenUnsatisfiable !== 'DoNotSchedule' || counts.of(topology) + 1 - counts.bounds(topology).least <= maxSkew;
  });

/** Higher for topologies with fewer selected clusters; an earlier level outweighs all later ones. */
const rawScore = (counts: TopologyCounts, topologies: readonly string[]): number =>
  topologies.reduce((score, topology) => {
    const { least, most } = counts.bounds(topology);
    const level = most === least ? 0 : Math.round(((levelBase - 1) * (most - counts.of(topology))) / (most - least));
    return score * levelBase + level;
  }, 0);

function best<T>(candidates: readonly Candidate<T>[], counts: TopologyCounts): Candidate<T> | undefined {
  const raw = candidates.map(({ topologies }) => rawScore(counts, topologies));
  const least = Math.min(...raw);
  const range = Math.max(...raw) - least;
  let found: { readonly candidate: Candidate<T>; readonly score: number } | undefined;
  for (const [index, candidate] of candidates.entries()) {
    const spread = range === 0 ? 0 : Math.trunc((200 * ((raw[index] ?? 0) - least)) / range - 100);
    const score = candidate.total + spreadWeight * spread;
    if (!found || score > found.score) found = { candidate, score };
  }
  return found?.candidate;
}

/**
 * Selects clusters one at a time: leaves out those that a strict constraint forbids, and takes the one with the best sum of its
 * total and of how well it evens the spread, ties by the order of the input. Without `wanted`, as many as the constraints allow.
 */
export function selectSpread<T>(
  clusters: readonly T[],
  totals: ArrayLike<number>,
  wanted: number | undefined,
  constraints: readonly SpreadConstraint[],
  viewOf: (cluster: T) => ClusterView,
): Selection<T> {
  const counts = new TopologyCounts();
  let left: Candidate<T>[] = clusters.map((cluster, index) => {
    const topologies = topologiesOf(constraints, viewOf(cluster));
    for (const topology of topologies) counts.register(topology);
    return { cluster, total: totals[index] ?? 0, topologies };
  });
  const taken = new Set<T>();
  while (taken.size < (wanted ?? clusters.length)) {
    const next = best(
      left.filter(({ topologies }) => isAllowed(constraints, counts, topologies)),
      counts,
    );
    if (!next) break;
    taken.add(next.cluster);
    for (const topology of next.topologies) counts.add(topology);
    left = left.filter((candidate) => candidate !== next);
  }
  return {
    selected: clusters.filter((cluster) => taken.has(cluster)),
    unscheduled: wanted === undefined ? 0 : wanted - taken.size,
  };
}
