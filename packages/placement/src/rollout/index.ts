// How a change is rolled out over the clusters of a placement: pure functions, for replica sets and add-ons.

export type { ClusterRolloutStatus, RolloutStatus } from './cluster-status.ts';
export { areGroupsComplete } from './complete-groups.ts';
export {
  type ClusterChanges,
  type ClusterGroup,
  clusterChanges,
  clusterGroups,
  clustersIn,
  type GroupKey,
  type GroupSelector,
  groupsAmong,
  groupsBesides,
} from './decision-tracker.ts';
export { describeMissing, type MissingDecisions, missingDecisions, RemovalHolds } from './missing-decisions.ts';
export { planRollout, type RolloutInput, type RolloutPlan, soakMsOf } from './plan-rollout.ts';
