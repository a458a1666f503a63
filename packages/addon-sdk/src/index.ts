// What an author writes

export { at, hook, objects, orphan, type PreDeleteOptions } from './author/marks.ts';
export { type SignWithOptions, signWith } from './certificates/sign-with.ts';
export type { AddonDefinition, HostedInfo, PerAddon } from './definition/addon-definition.ts';
export {
  type ConfigDeclaration,
  type ConfigDeclarations,
  config,
  type ResolvedConfig,
  type ResolvedConfigs,
} from './definition/config.ts';
export { configDefinitions } from './definition/config-definitions.ts';
export type { AddonContext, InstallMode, PodDefaults, RenderContext } from './definition/context.ts';
export { defineAddon } from './definition/define-addon.ts';
export {
  type HealthCheck,
  type HealthProber,
  health,
  type ProbeField,
  type ProbeResult,
  type WorkloadKind,
} from './definition/health.ts';
export type { Awaitable, Manifest } from './definition/manifest.ts';
export type { BindingOptions, HubPermission, PermissionBuilder } from './definition/permissions.ts';
export {
  type AgentRequest,
  type AgentSubject,
  type ApproveRequest,
  type CustomSignerRegistration,
  customSigner,
  type KubeClientInput,
  type KubeClientRegistration,
  kubeClient,
  type RegistrationDeclaration,
  type SignRequest,
} from './definition/registration.ts';

export { type FromHelmOptions, fromHelm } from './helm/from-helm.ts';
export { type HelmEngine, type HelmRelease, helmProgram } from './helm/helm-engine.ts';
export { helmValues } from './helm/helm-values.ts';
export { mergeValues, type Values } from './helm/merge-values.ts';
export { trimDescriptions } from './helm/trim-descriptions.ts';
export type { ManifestLocation } from './manifests/marks.ts';
export { type FromYamlOptions, fromYaml } from './yaml/from-yaml.ts';
export type { TemplateHelper } from './yaml/template.ts';

// What runs it

export { addonRules } from './engine/addon-role.ts';

export { createAddonEngine } from './engine/create-engine.ts';

export type { AddonEngine, AddonEngineInput, RunningAddon } from './engine/engine.ts';
export { type RunAddonsInput, runAddons } from './engine/run-addons.ts';
export { withServedVersions } from './engine/served-versions.ts';

// What the add-on manager of a hub needs, too

export { type Found, findOrCreate } from './caches/find-or-create.ts';

export {
  type ConfigName,
  chosenBy,
  chosenRecord,
  configText,
  offeredConfigs,
  type PlacementOf,
  wantedConfigs,
} from './configs/chosen-configs.ts';
export { specHash } from './configs/spec-hash.ts';
export { containerIdPattern, resourcesOf } from './render/container-resources.ts';
export { clusterRegistries, type ImageRegistry, overrideImage } from './render/images.ts';
export { proxyEnv } from './render/proxy.ts';

// What runs on managed clusters

export { type AgentRuntime, type AgentRuntimeOptions, agentRuntime } from './agent/agent-runtime.ts';
export { apiServerLive, podRunning } from './agent/checks.ts';
export { type AgentCheck, type LeaseOptions, runLease } from './agent/lease.ts';
export { placementScore, type ScoreBounds } from './agent/placement-score.ts';

// Its program

export { type AddonProgram, createAddonCli } from './cli/addon-cli.ts';
export type { AgentProgram } from './cli/agent-command.ts';
export { type InstallInput, installManifests } from './cli/install-manifests.ts';
export { type ControllerPlace, rbacManifests } from './cli/rbac-manifests.ts';
