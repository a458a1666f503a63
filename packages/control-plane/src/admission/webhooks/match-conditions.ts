import { type Cel, type CelProgram, CostBudget, celValue, createCel } from '@flotilla/rules/cel';
import type { AdmissionRequest } from '../../contracts/admission.ts';
import type { ResourceInfo } from '../../contracts/resource-info.ts';
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
  evaluate(conditions: readonly MatchCondition[], info: ResourceInfo, request: AdmissionRequest): MatchResult;
}

/** How many compiled expressions are kept: those of a few hundred webhooks. */
const maxPrograms = 1000;

/** What the conditions of one webhook may cost. */
const limits = { perExpression: 1_000_000, inAll: 2_500_000 };

/** Evaluates the CEL conditions of webhooks. Expressions are compiled when they are first needed. */
export function createMatchConditions(): MatchConditions {
  const programs = new Map<string, CelProgram>();
  let cel: Cel | undefined;
  const compile = (expression: string): CelProgram => {
    const known = programs.get(expression);
    if (known) return known;
    cel ??= createCel({ variables: { object: 'dyn', oldObject: 'dyn', request: 'dyn' } });
    const program = cel.compile(expression);
    if (programs.size >= maxPrograms) programs.clear();
    programs.set(expression, program);
    return program;
  };

  return {
    evaluate(conditions, info, request) {
      const variables = {
        object: celValue(request.object ?? null),
        oldObject: celValue(request.oldObject ?? null),
        request: celValue(requestFields(info, request)),
      };
      const budget = new CostBudget(limits);
      const errors: string[] = [];
      for (const { expression } of conditions) {
        try {
          const program = compile(expression);
          const result = budget.spend((meter) => program.evaluate(variables, meter));
          if (result === false) return { matches: false, errors: [] };
          if (result !== true) errors.push(`expression '${expression}' resulted in no boolean`);
        } catch (error) {
          errors.push(
            `expression '${expression}' resulted in error: ${error instanceof Error ? error.message : error}`,
          );
        }
      }
      return { matches: true, errors };
    },
  };
}
