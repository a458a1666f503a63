/** A hub that an agent could join. */
export interface HubCandidate {
  /** Its address; undefined if its kubeconfig cannot be read. */
  readonly server: string | undefined;
}

/** What the choice depends on, beside the order in which the hubs are given. */
export interface HubPreference {
  /** The hub of the stored credentials: an agent stays where it is. */
  readonly stored?: string | undefined;
  /** The hub that it has just left for cause: last, whatever else speaks for it. */
  readonly avoid?: string | undefined;
}

/** The indexes of the hubs in the order in which to try them. */
export function tryingOrder(candidates: readonly HubCandidate[], { stored, avoid }: HubPreference): number[] {
  const rank = ({ server }: HubCandidate): number => {
    if (server !== undefined && server === avoid) return 2;
    return server !== undefined && server === stored ? 0 : 1;
  };
  return candidates
    .map((candidate, index) => ({ index, rank: rank(candidate) }))
    .sort((a, b) => a.rank - b.rank || a.index - b.index)
    .map(({ index }) => index);
}
