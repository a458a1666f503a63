import { Annotation, type Placement } from '@flotilla/api-types';
import type { ClusterGroup } from './decision-tracker.ts';

/**
 * Whether decision groups are those that the status of their placement counts. A scheduler writes PlacementDecisions one by one, the
 * labels of each before its clusters, and the status last. Between these writes all clusters of a fleet can be in the group of the
 * canary. A status without groups says nothing, and neither does one of a placement whose scheduling is disabled: it may be old.
 */
export function areGroupsComplete({ metadata, status }: Placement, groups: readonly ClusterGroup[]): boolean {
  if (!status?.decisionGroups || metadata?.annotations?.[Annotation.SchedulingDisabled] === 'true') return true;
  const counted = new Map<string, number>();
  for (const { decisionGroupIndex = 0, decisionGroupName = '', clusterCount = 0 } of status.decisionGroups) {
    if (clusterCount > 0) counted.set(`${decisionGroupIndex} ${decisionGroupName}`, clusterCount);
  }
  const decided = groups.filter(({ clusters }) => clusters.size > 0);
  return (
    decided.length === counted.size &&
    decided.every(({ groupIndex, groupName, clusters }) => counted.get(`${groupIndex} ${groupName}`) === clusters.size)
  );
}
