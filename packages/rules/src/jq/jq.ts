import { type RuleCaller, type RuleRunner, RuleTaskError, ruleRunner } from '../runner/index.ts';
import type { JqOutput } from '../runner/protocol.ts';
import { parseJson, stringifyJson } from '../values/exact-json.ts';
import { isReduction } from './reduction.ts';

/** An expression that selects nothing that can be left out. The message is worded as in OCM. */
export class JqError extends Error {
  override readonly name = 'JqError';
}

/** How long the expressions of one object may take together. */
const maxElapsedMs = 1000;

/** What is left for the expressions of one object. */
export class JqBudget {
  leftMs = maxElapsedMs;
}

/** Evaluates jq expressions. */
export interface JqEngine {
  /** The object without what an expression selects. Throws `JqError`. */
  remove(
    object: Record<string, unknown>,
    expression: string,
    budget: JqBudget,
    caller?: RuleCaller,
  ): Promise<Record<string, unknown>>;
}

/** jq itself, in a thread of its own that is ended with the time of an expression. */
export function createJqEngine(runner: RuleRunner = ruleRunner): JqEngine {
  return {
    async remove(object, expression, budget, caller) {
      try {
        if (budget.leftMs <= 0) throw timedOut();
        const filter = `del(${expression})`;
        const { elapsedMs, ...output } = await runner.runJq(stringifyJson(object), filter, budget.leftMs, caller);
        budget.leftMs -= elapsedMs;
        const left = onlyObject(output);
        // A bracket too many ends `del`, and what follows it could write anything.
        if (!isReduction(left, object)) throw new JqError('the expression does more than select fields');
        return left;
      } catch (error) {
        if (error instanceof JqError) throw error;
        // Its thread, and the time that it had, are gone.
        budget.leftMs = 0;
        if (error instanceof RuleTaskError && error.isTimeout) throw timedOut(error);
        const why = error instanceof Error ? error.message : String(error);
        throw new JqError(`jq expression returned error: ${why}`, { cause: error });
      }
    },
  };
}

const timedOut = (cause?: unknown): JqError =>
  new JqError(`jq expression execution timed out after ${maxElapsedMs / 1000}s`, { cause });

function onlyObject({ stdout, stderr, exitCode }: JqOutput): Record<string, unknown> {
  if (exitCode === 3) throw new JqError(`failed to parse jq expression: ${firstLine(stderr)}`);
  if (exitCode !== 0) throw new JqError(`jq expression returned error: ${firstLine(stderr)}`);
  if (stdout === '') throw new JqError('jq expression did not return any data');
  if (stdout.includes('\n')) throw new JqError('jq expression returned multiple objects');
  const value = parseJson(stdout);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new JqError('jq expression result is not a valid object');
  }
  return Object.fromEntries(Object.entries(value));
}

const firstLine = (text: string): string => (text.split('\n', 1)[0] ?? '').replace(/^jq: error( \(at [^)]*\))?: /, '');
