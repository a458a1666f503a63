/** What was selected of the feasible clusters, and how many are missing. */
export interface Selection<T> {
  /** In the order of the input. */
  readonly selected: readonly T[];
  readonly unscheduled: number;
}

/** Totals that differ by no more than this are counted in an array. */
const widestArray = 65_536;

/** The lowest total of those that are selected, and how many clusters are above it. */
function thresholdOf(
  totals: ArrayLike<number>,
  wanted: number,
): { readonly threshold: number; readonly above: number } {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (let index = 0; index < totals.length; index++) {
    const total = totals[index] ?? 0;
    if (total < least) least = total;
    if (total > most) most = total;
  }
  if (most - least >= widestArray) return thresholdOfFew(totals, wanted);
  const counts = new Int32Array(most - least + 1);
  for (let index = 0; index < totals.length; index++) {
    const at = (totals[index] ?? 0) - least;
    counts[at] = (counts[at] ?? 0) + 1;
  }
  let above = 0;
  let threshold = most;
  while (above + (counts[threshold - least] ?? 0) < wanted) {
    above += counts[threshold - least] ?? 0;
    threshold -= 1;
  }
  return { threshold, above };
}

/** The same for totals that are far apart. */
function thresholdOfFew(
  totals: ArrayLike<number>,
  wanted: number,
): { readonly threshold: number; readonly above: number } {
  const counts = new Map<number, number>();
  for (let index = 0; index < totals.length; index++) {
    const total = totals[index] ?? 0;
    counts.set(total, (counts.get(total) ?? 0) + 1);
  }
  let above = 0;
  let threshold = Number.NEGATIVE_INFINITY;
  for (const total of [...counts.keys()].sort((a, b) => b - a)) {
    threshold = total;
    const count = counts.get(total) ?? 0;
    if (above + count >= wanted) break;
    above += count;
  }
  return { threshold, above };
}

/**
 * The clusters with the highest totals, ties by the order of the input, which is by name. Counting totals instead of sorting
 * clusters keeps this linear: many clusters have few different totals. Totals are whole numbers.
 */
export function selectHighest<T>(clusters: readonly T[], totals: ArrayLike<number>, wanted: number): Selection<T> {
  if (clusters.length <= wanted) return { selected: clusters, unscheduled: wanted - clusters.length };
  if (wanted === 0) return { selected: [], unscheduled: 0 };
  const { threshold, above } = thresholdOf(totals, wanted);
  let ties = wanted - above;
  const selected: T[] = [];
  for (let index = 0; index < clusters.length; index++) {
    const total = totals[index] ?? 0;
    if (total < threshold || (total === threshold && ties-- <= 0)) continue;
    const cluster = clusters[index];
    if (cluster !== undefined) selected.push(cluster);
  }
  return { selected, unscheduled: 0 };
}
