import { RuleMemoryError, RuleQueueError, RuleTaskError } from '@flotilla/rules/runner';
import { throttled, unavailable } from './api-errors.ts';

/**
 * What to throw when rules were not evaluated: a client retries these two answers, unlike a refusal. Errors that say something about a rule
 * are returned as they are.
 */
export function unanswered(error: unknown, what: string): unknown {
  if (error instanceof RuleQueueError) return throttled();
  if (!(error instanceof RuleTaskError) || error instanceof RuleMemoryError) return error;
  return unavailable(`${what} have no answer: ${error.message}`);
}
