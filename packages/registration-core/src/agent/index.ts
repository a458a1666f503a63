/** The registration agent: joins a cluster to a hub and keeps it joined. */
export { type Agent, type AgentInput, createAgent } from './agent.ts';
export type { JoinedHub } from './context.ts';
export { formatHubKubeconfig, type HubEndpoint, readEndpoint } from './credentials/hub-kubeconfig.ts';
export { registrationFlags } from './flags.ts';
export { agentGateNames, agentGates } from './gates.ts';
export type { AgentOptions } from './options.ts';
export { type ElectedAgentInput, runElectedAgent } from './run-elected-agent.ts';
export { type AgentEvent, type AgentState, type BootstrapReason, initialState, transition } from './state.ts';
export { type JoinedWork, whileJoined } from './while-joined.ts';
