/** Clusters that the hub reaches itself: how they are marked, and where the access to them is. */
export {
  type MemberAccessOptions,
  type MemberRecord,
  memberAccess,
  readMemberProxy,
  readMemberRecord,
} from './member-access.ts';
export {
  type MemberCredential,
  MemberSecretEntry,
  memberSecret,
  memberSecretKey,
  memberSecretName,
} from './member-secret.ts';
export { type ClusterMode, clusterModeLabel, clusterModeOf, isPushed, pushedRenewalAnnotation } from './mode.ts';
export { pushAgentsAccount, pushAgentsNamespaceRules, pushAgentsRules } from './push-agents-role.ts';
