/** Evaluates rules without holding up the event loop. */

export { RuleRunner, type RuleVariables, ruleRunner } from './runner.ts';
export { RuleTaskError } from './worker-queue.ts';
