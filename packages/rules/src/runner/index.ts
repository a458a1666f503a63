/** Evaluates rules without holding up the event loop. */

export { RuleRunner, type RuleVariables, ruleRunner } from './runner.ts';
export { type RuleCaller, RuleMemoryError, RuleQueueError, RuleTaskError } from './worker-queue.ts';
