import { ApiGroup } from '@flotilla/api-types';
import type { ClusterRole } from '@flotilla/kube/kinds';

type Rules = NonNullable<ClusterRole['rules']>;

const read = ['get', 'list', 'watch'];
const rule = (group: string, resources: readonly string[], verbs: readonly string[]): Rules[number] => ({
  apiGroups: [group],
  resources: [...resources],
  verbs: [...verbs],
});

const readFleet = rule(
  ApiGroup.Cluster,
  ['managedclusters', 'managedclustersets', 'managedclustersetbindings', 'addonplacementscores', 'placements'],
  read,
);

/** What the debugging of placements needs on the hub: it reads, and asks who its callers are. */
export const placementDebugRules = (): Rules => [
  readFleet,
  rule(ApiGroup.Cluster, ['placementdecisions'], read),
  rule(ApiGroup.Authentication, ['tokenreviews'], ['create']),
  rule(ApiGroup.Authorization, ['subjectaccessreviews'], ['create']),
];

/** What the hub's placement controllers need on the hub, without wildcards. */
export const placementRules = (): Rules => [
  readFleet,
  rule(ApiGroup.Cluster, ['placements/status', 'placementdecisions/status'], ['patch']),
  // Where owner references are guarded, an object may block the deletion of its owner only with this.
  rule(ApiGroup.Cluster, ['placements/finalizers'], ['update']),
  rule(ApiGroup.Cluster, ['placementdecisions'], [...read, 'create', 'patch', 'delete']),
  rule(ApiGroup.Events, ['events'], ['create', 'patch', 'update']),
];
