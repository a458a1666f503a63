/** The work agent: applies what a hub orders onto a managed cluster, keeps it so, and reports back. */
export { createWorkAgent, type WorkAgent, type WorkAgentInput } from './agent.ts';
export { workAgentFlags, workFlags } from './flags.ts';
export { workAgentGateNames, workAgentGates } from './gates.ts';
export { hubHashOf } from './hub-hash.ts';
export type { WorkAgentOptions } from './options.ts';
export {
  type RunWorkInput,
  runWork,
  runWorkAgent,
  type WorkAgentProcess,
  type WorkProcess,
  type WorkSource,
} from './run-agent.ts';
