import { type ManifestConditionRule, WorkManifestReason } from '@flotilla/api-types';
import type { ConditionInput } from '@flotilla/kube';
import type { Cel, CelProgram, CostBudget } from '@flotilla/rules/cel';
import type { RuleCaller, RuleVariables } from '@flotilla/rules/runner';
import { longestMessage } from '../config/report-limits.ts';

const { ConditionRuleEvaluated, ConditionRuleExpressionError } = WorkManifestReason.Complete;

/** What expressions are compiled with. A message also knows the result. */
export interface CelEngine {
  readonly rules: Cel;
  readonly messages: Cel;
  evaluate(program: CelProgram, variables: RuleVariables, budget: CostBudget, caller?: RuleCaller): Promise<unknown>;
}

/** A rule of CEL expressions, ready to be evaluated. Rejects only when the caller is aborted. */
export type CompiledRule = (object: unknown, budget: CostBudget, caller?: RuleCaller) => Promise<ConditionInput>;

/** The condition is true when all expressions are; nothing is evaluated after the first that is not. */
export function compileCelRule(rule: ManifestConditionRule, engine: CelEngine): CompiledRule {
  // An expression that cannot be compiled is reported when it is evaluated: one before it may be false.
  const expressions = (rule.celExpressions ?? []).map((expression) => engine.rules.later(expression));
  const message = rule.messageExpression ? engine.messages.later(rule.messageExpression) : undefined;
  const type = rule.condition;
  const areAllTrue = async (object: unknown, budget: CostBudget, caller?: RuleCaller): Promise<boolean> => {
    for (const program of expressions) {
      if (!isTrue(await engine.evaluate(program, { object }, budget, caller))) return false;
    }
    return true;
  };
  return async (object, budget, caller) => {
    try {
      const result = await areAllTrue(object, budget, caller);
      const text = await messageOf(
        rule,
        result,
        async () => message && (await engine.evaluate(message, { object, result }, budget, caller)),
      );
      return { type, status: result ? 'True' : 'False', reason: ConditionRuleEvaluated, message: fitting(text) };
    } catch (error) {
      caller?.signal?.throwIfAborted();
      return { type, status: 'False', reason: ConditionRuleExpressionError, message: fitting(errorMessageOf(error)) };
    }
  };
}

function isTrue(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw new Error(`expected bool result, got ${goTypeOf(value)}`);
}

/** A message that cannot be computed says why, and does not change the status of the condition. */
async function messageOf(
  rule: ManifestConditionRule,
  result: boolean,
  compute: () => Promise<unknown>,
): Promise<string> {
  try {
    const computed = await compute();
    if (typeof computed === 'string' && computed !== '') return computed;
    if (computed !== undefined && computed !== '') {
      return `expected message expression to have a string result, got ${goTypeOf(computed)}`;
    }
  } catch (error) {
    return errorMessageOf(error);
  }
  return rule.message || (result ? `Manifest is ${rule.condition}` : `Manifest is not ${rule.condition}`);
}

const fitting = (message: string): string => message.slice(0, longestMessage);

const errorMessageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** As Go calls the type of a value, which is what OCM's users read. */
function goTypeOf(value: unknown): string {
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'number') return 'float64';
  if (typeof value === 'string') return 'string';
  if (value === null) return 'structpb.NullValue';
  if (Array.isArray(value)) return '[]interface {}';
  if (value instanceof Uint8Array) return '[]uint8';
  if (value instanceof Date) return 'time.Time';
  return 'map[string]interface {}';
}
