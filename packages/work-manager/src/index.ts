export { validateManifests } from './admission/manifests.validation.ts';
export { workPolicies } from './admission/policies.ts';
export { type WorkAdmissionInput, workWebhooks } from './admission/webhooks.ts';
export { createWorkManager, type WorkManager, type WorkManagerInput } from './create-work-manager.ts';
export { defaultManifestLimit, manifestLimitOption } from './options.ts';
export { isPaused } from './replica-set/deploy.ts';
export { unreachableSince } from './replica-set/lost-clusters.policy.ts';
export type { ClusterFailure } from './replica-set/placement-rollout.policy.ts';
export {
  type ExplainedCluster,
  type ExplainedPlacement,
  explainRollout,
  type RolloutStep,
} from './replica-set/rollout-explanation.ts';
export { type RolloutFacts, type RolloutProgress, rolloutProgress } from './replica-set/rollout-progress.ts';
export { specHash } from './replica-set/template.ts';
export {
  type ControllerRevision,
  controllerRevisions,
  revisionSelector,
  revisionsOf,
  templateOfRevision,
} from './revisions/controller-revision.ts';
export { workManagerRules, workWebhookRules } from './work-manager-role.ts';
