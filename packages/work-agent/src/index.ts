/** The work agent: applies what a hub orders onto a managed cluster, keeps it so, and reports back. */
export { createWorkAgent, type WorkAgent, type WorkAgentInput } from './agent.ts';
export { workAgentGateNames, workAgentGates } from './gates.ts';
export { hubHashOf } from './hub-hash.ts';
export type { WorkAgentOptions } from './options.ts';
