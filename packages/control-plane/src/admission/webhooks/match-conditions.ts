import { Environment } from '@marcbachmann/cel-js';
import type { ResourceInfo } from '../../schema/resource-info.ts';
import type { AdmissionRequest } from '../admission.ts';
import { requestFields } from './review.ts';

type Program = (variables: Record<string, unknown>) => unknown;

export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

/** What conditions say: all true, at least one false, or, for some, that they cannot be told. */
export interface Verdict {
  /** False as soon as one condition is false, whatever the others are. */
  readonly matches: boolean;
  readonly problems: readonly string[];
}

export interface MatchConditions {
  evaluate(conditions: readonly MatchCondition[], info: ResourceInfo, request: AdmissionRequest): Verdict;
}

/** How many compiled expressions are kept: those of a few hundred webhooks. */
const mostPrograms = 1000;

/** Evaluates the CEL conditions of webhooks. Expressions are compiled when they are first needed. */
export function createMatchConditions(): MatchConditions {
  const programs = new Map<string, Program>();
  let environment: Environment | undefined;
  const compile = (expression: string): Program => {
    const known = programs.get(expression);
    if (known) return known;
    environment ??= new Environment({
      unlistedVariablesAreDyn: true,
      homogeneousAggregateLiterals: false,
      enableOptionalTypes: true,
    });
    const program = environment.parse(expression);
    if (programs.size >= mostPrograms) programs.clear();
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
      const problems: string[] = [];
      for (const { expression } of conditions) {
        try {
          const result = compile(expression)(variables);
          if (result === false) return { matches: false, problems: [] };
          if (result !== true) problems.push(`expression '${expression}' resulted in no boolean`);
        } catch (error) {
          problems.push(`expression '${expression}' resulted in error: ${reasonOf(error)}`);
        }
      }
      return { matches: true, problems };
    },
  };
}

/** Without the excerpt of the expression that follows, and as Kubernetes begins such sentences. */
function reasonOf(error: unknown): string {
  const [why = ''] = (error instanceof Error ? error.message : String(error)).split('\n', 1);
  return why.charAt(0).toLowerCase() + why.slice(1);
}

/** JSON in the types of CEL, where whole numbers are integers. */
function celValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(celValue);
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, celValue(field)]));
}
