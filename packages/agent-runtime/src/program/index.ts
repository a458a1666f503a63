/** An agent as a program, with flags, log, metrics, health and leader election. Apart from the root, which loads none of that. */
export type { AgentProgram } from './agent-program.ts';
export { runAgentProgram } from './run-agent-program.ts';
export { runSingletonProgram } from './run-singleton-program.ts';
