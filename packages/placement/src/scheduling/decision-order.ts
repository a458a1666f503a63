/** One page: the clusters that the server has in it, and those that it shall have. */
export interface PageClusters {
  readonly present: readonly string[];
  readonly wanted: readonly string[];
}

/** What is written of a page, and when. */
export interface PageOrder {
  /** Clusters to write first; undefined if the page is written once, and then at the end. */
  readonly first: readonly string[] | undefined;
  /** Whether its clusters are written at the end: others must have those that leave it before. */
  readonly isLast: boolean;
}

/**
 * Orders the writes of pages so that a cluster that moves from one to another is never in none: add-ons and works would be taken from it,
 * and given back a moment later. Pages that give clusters away come last; one that takes some as well has both for a moment.
 */
export function pageOrder(pages: readonly PageClusters[]): PageOrder[] {
  if (pages.length < 2) return pages.map(({ wanted }) => ({ first: wanted, isLast: false }));
  const takers = new Map<string, number>();
  for (const [index, { present, wanted }] of pages.entries()) {
    const before = new Set(present);
    for (const cluster of wanted) if (!before.has(cluster)) takers.set(cluster, index);
  }
  const given = pages.map(({ present, wanted }) => {
    const after = new Set(wanted);
    return present.filter((cluster) => !after.has(cluster) && takers.has(cluster));
  });
  const moving = new Set(given.flat());
  return pages.map(({ present, wanted }, index) => {
    const isLast = (given[index]?.length ?? 0) > 0;
    if (!isLast) return { first: wanted, isLast };
    const takes = wanted.some((cluster) => moving.has(cluster) && takers.get(cluster) === index);
    return { first: takes ? [...new Set([...present, ...wanted])] : undefined, isLast };
  });
}
