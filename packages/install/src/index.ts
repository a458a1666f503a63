/** What a hub and an agent consist of on a cluster, and how it is applied, waited for and removed. */

export { duplicateIdentityPolicies } from '@flotilla/registration-core/hub';
export { type AgentValues, agentManifests, agentObjects } from './agent/agent-manifests.ts';
export {
  bootstrapKubeconfig,
  bootstrapSecretKey,
  type GrpcBootstrap,
  grpcBootstrapConfig,
} from './agent/bootstrap-secret.ts';
export { clusterProxyGrant, clusterProxyRole } from './agent/cluster-proxy.ts';
export { agentDefinitions } from './agent/definitions.ts';
export { type KlusterletValues, klusterlet, listKlusterlets } from './agent/klusterlet.ts';
export { listAppliedWorks } from './agent/orphan-works.ts';
export { type IsOwnWork, ownWorks } from './agent/own-works.ts';
export { type Membership, removeAgent } from './agent/remove-agent.ts';
export * as agentRules from './agent/rules.ts';
export { applyObjects, formOf } from './apply/apply-objects.ts';
export { definitionsToApply } from './apply/definitions.ts';
export { featureGateModes } from './feature-gate-modes.ts';
export { bootstrapObjects, clusterInfoAccess } from './hub/bootstrap.ts';
export { clusterInfo, type HubAddress } from './hub/cluster-info.ts';
export { type ClusterManagerValues, clusterManager } from './hub/cluster-manager.ts';
export { clusterProxyAccess } from './hub/cluster-proxy.ts';
export type { RegistrationDrivers } from './hub/controllers.ts';
export { convertedDefinitions, hubDefinitions } from './hub/definitions.ts';
export { replacedGuards } from './hub/guards.ts';
export { type HubValues, hubManifests, hubNamespaces, hubObjects } from './hub/hub-manifests.ts';
export { importerRules } from './hub/importer-rules.ts';
export {
  bootstrapTokenAccess,
  isRestricted,
  joinTokenClusterRole,
  joinTokenGroups,
  joinTokenObjects,
} from './hub/join-token.ts';
export { policiesInForce, servesPolicies } from './hub/policies-in-force.ts';
export { removeHub, removeWebhooks } from './hub/remove-hub.ts';
export { removeResidualObjects } from './hub/residual-objects.ts';
export { type WebhookAddress, webhookConfigurations, webhookNames } from './hub/webhook-configurations.ts';
export type { Manifests } from './manifests.ts';
export { namespace } from './objects/namespace.ts';
export type { ProgramValues } from './objects/program-options.ts';
export {
  accountSubject,
  boundClusterRole,
  boundRole,
  clusterRole,
  clusterRoleBinding,
  type Rules,
  type Subjects,
  serviceAccount,
} from './objects/rbac.ts';
export { type AccountKey, operatedAccess, operatedAccounts } from './operated-hub/access.ts';
export {
  isOcmImage,
  type OperatedHub,
  type OperatedWebhook,
  type WebhookServerName,
  webhookServers,
} from './operated-hub/operated-hub.ts';
export {
  hasOwnWebhooks,
  isOwnWebhook,
  operatedDefinitions,
  operatedHubObjects,
  operatedRuntimeObjects,
  operatedWebhooks,
} from './operated-hub/operated-objects.ts';
export { operatedApiServices, webhookService } from './operated-hub/services.ts';
export { isOwnedBy, type Owner, withOwner } from './ownership.ts';
export { type MemberGrant, readMemberGrant } from './push/member-grant.ts';
export {
  type MemberValues,
  memberAccount,
  memberNamespace,
  memberObjects,
  pushedClusterLabel,
} from './push/member-objects.ts';
export { memberObjectsOf, type PushMembership, removeMember } from './push/remove-member.ts';
export { retireAgent } from './push/retire-agent.ts';
export { pendingReason, releaseFinalizers } from './remove/finalizers.ts';
export { type Removal, type RemovalReporter, waitOf } from './remove/removal.ts';
export { removeObject, removeObjects } from './remove/remove-objects.ts';
export { retryStalledCleanup } from './remove/stalled-cleanup.ts';
export { type Observation, type Wait, WaitTimeoutError, waitFor } from './wait.ts';
