/** The registration agent: joins a cluster to a hub and keeps it joined. */

export { addonDriverChoice } from './addons/driver-choice.ts';
export { addonHealthController } from './addons/health.controller.ts';
export { addonRegistrationController } from './addons/registration.controller.ts';
export { addonSweepController } from './addons/sweep.controller.ts';
export { WakeSignal } from './credentials/wake-signal.ts';
export { trustsAll } from './hub-endpoint/ca-bundle.ts';
export { readJoinRecord } from './join/join-record.ts';
export { type Agent, createAgent } from './lifecycle/agent.ts';
export type { AgentInput } from './lifecycle/agent-input.ts';
export type { AgentHealth } from './lifecycle/health.ts';
export type { JoinedHub } from './lifecycle/hub-session.ts';
export { type JoinedWork, runWithWork } from './lifecycle/while-joined.ts';
export { type BoundDriver, bindDriver } from './options/bound-driver.ts';
export type { AgentOptions } from './options/options.ts';
export { accessFiles, diskFiles, secretFiles } from './process/bootstrap-files.ts';
export { registrationFlags } from './process/flags.ts';
export { type ElectedAgentInput, runElectedAgent } from './process/run-agent.ts';
export { joinRecordKey } from './state/secret-entries.ts';
export { type AgentEvent, type AgentState, type BootstrapReason, initialState, transition } from './state/state.ts';
export type { Availability } from './status/availability.ts';
export { type ClusterProperty, clusterProperties } from './status/claims.policy.ts';
export { managedNamespaceLabel } from './status/managed-namespaces.ts';
export { keepNodeResources } from './status/resources.policy.ts';
export { type ClusterHealth, statusController } from './status/status.controller.ts';
