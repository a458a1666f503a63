import type { Placement } from '@flotilla/api-types';
import type { PlacementTrace } from '../engine/trace.ts';
import type { ScheduleStatus } from '../scheduler/schedule-status.ts';

/** How a placement is scheduled: what OCM's debug server answers, with the same keys, and what it leaves out. Empty parts are absent. */
export interface PlacementDebugResult {
  readonly placement?: Placement;
  readonly filteredPipelineResults?: readonly { readonly name: string; readonly filteredClusters: readonly string[] }[];
  readonly prioritizeResults?: readonly {
    readonly name: string;
    readonly weight: number;
    readonly scores: Readonly<Record<string, number>>;
  }[];
  /** Highest first, ties by name. */
  readonly aggregatedScores?: readonly { readonly clusterName: string; readonly score: number }[];
  readonly error?: string;
  /** Not in OCM: the clusters of the sets, before the filters. */
  readonly candidates?: readonly string[];
  /** Not in OCM: the clusters that are selected, by name. */
  readonly selectedClusters?: readonly string[];
  /** Not in OCM: why the steps end early, or what they warn of; absent if all is well. */
  readonly status?: ScheduleStatus;
}

const unlessEmpty = <K extends string, T>(key: K, values: readonly T[]): { readonly [name in K]?: readonly T[] } =>
  values.length === 0 ? {} : ({ [key]: values } as { readonly [name in K]: readonly T[] });

/** The placement without what the server adds to it and without its status. */
const described = ({ metadata, spec }: Placement): Placement => {
  const { name, namespace, labels, annotations } = metadata ?? {};
  return { metadata: { name, namespace, ...(labels && { labels }), ...(annotations && { annotations }) }, spec };
};

/** The answer for a placement and how it is scheduled. */
export const debugResultOf = (placement: Placement, trace: PlacementTrace): PlacementDebugResult => ({
  placement: described(placement),
  ...unlessEmpty(
    'filteredPipelineResults',
    trace.filters.map(({ name, clusters }) => ({ name, filteredClusters: clusters })),
  ),
  ...unlessEmpty('prioritizeResults', trace.prioritizers),
  ...unlessEmpty(
    'aggregatedScores',
    trace.totals.map(({ cluster, total }) => ({ clusterName: cluster, score: total })),
  ),
  ...unlessEmpty('candidates', trace.candidates),
  ...unlessEmpty('selectedClusters', trace.result.selected),
  ...(trace.status.code !== 'Success' && { status: trace.status }),
});
