/** All parts of an agent, as functions that get their drivers from the caller. */
export { joinedWork, type WorkInput } from './joined-work.ts';
export { type RunAgentInput, runAgent } from './run-agent.ts';
