/** A hub as a program, with flags, log, metrics, health and leader election. Apart from the root, which loads none of that. */
export type { HubProgram } from './hub-program.ts';
export { runHubProgram } from './run-hub-program.ts';
