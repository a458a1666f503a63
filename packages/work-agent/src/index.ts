/** The work agent: applies the ManifestWorks of a hub to a managed cluster, keeps them applied, and reports back. */
export { createWorkAgent, type WorkAgent, type WorkAgentInput } from './agent.ts';
export { workAgentFlags, workFlags } from './flags.ts';
export { hubHashOf } from './hub-hash.ts';
export type { WorkAgentOptions } from './options.ts';
export {
  type HubSource,
  type RunWorkAgentInput,
  runWork,
  runWorkAgent,
  type WorkAgentProcess,
  type WorkProcess,
  type WorkSource,
} from './run-agent.ts';
