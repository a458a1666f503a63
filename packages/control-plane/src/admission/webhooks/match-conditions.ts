import { type Cel, type CelProgram, CostBudget, createCel } from '@flotilla/rules/cel';
import { ruleRunner } from '@flotilla/rules/runner';
import type { AdmissionRequest } from '../../contracts/admission.ts';
import type { ResourceInfo } from '../../contracts/resource-info.ts';
import { unanswered } from '../../errors/unanswered.ts';
import { requestFields } from './review.ts';

export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

/** The result of the conditions: all true, at least one false, or errors of those that could not be evaluated. */
export interface MatchResult {
  /** False as soon as one condition is false, whatever the others are. */
  readonly matches: boolean;
  readonly errors: readonly string[];
}

export interface MatchConditions {
  /** Throws 429 or 503 when the conditions could not be evaluated: the request itself may be valid. */
  evaluate(conditions: readonly MatchCondition[], info: ResourceInfo, request: AdmissionRequest): Promise<MatchResult>;
}

/** How many compiled expressions are kept: those of a few hundred webhooks. */
const maxPrograms = 1000;

/** What the conditions of one webhook may cost. */
const limits = { perExpression: 1_000_000, inAll: 2_500_000 };

/** How long conditions may wait for the rules of others, as those of definitions do. */
const maxWaitMs = 20_000;

/** Evaluates the CEL conditions of webhooks without blocking the event loop. Expressions are compiled when they are first needed. */
export function createMatchConditions(): MatchConditions {
  const programs = new Map<string, CelProgram>();
  let cel: Cel | undefined;
  const compile = (expression: string): CelProgram => {
    const known = programs.get(expression);
    if (known) return known;
    cel ??= createCel({ variables: { object: 'dyn', oldObject: 'dyn', request: 'dyn' } });
    const program = cel.later(expression);
    if (programs.size >= maxPrograms) programs.clear();
    programs.set(expression, program);
    return program;
  };

  return {
    async evaluate(conditions, info, request) {
      const { object = null, oldObject = null, user } = request;
      const variables = { object, oldObject, request: requestFields(info, request) };
      const caller = { owner: user.name, beginBy: performance.now() + maxWaitMs };
      const budget = new CostBudget(limits);
      const errors: string[] = [];
      for (const { expression } of conditions) {
        try {
          const result = await ruleRunner.evaluate(compile(expression), variables, budget, caller);
          if (result === false) return { matches: false, errors: [] };
          if (result !== true) errors.push(`expression '${expression}' resulted in no boolean`);
        } catch (error) {
          const toThrow = unanswered(error, 'the conditions of webhooks');
          if (toThrow !== error) throw toThrow;
          errors.push(
            `expression '${expression}' resulted in error: ${error instanceof Error ? error.message : error}`,
          );
        }
      }
      return { matches: true, errors };
    },
  };
}
