import { type ManifestConditionRule, WorkManifestReason } from '@flotilla/api-types';
import type { ConditionInput } from '@flotilla/kube';
import { type Cel, CelCompileError, type CelProgram, type CostBudget } from '@flotilla/schema/cel';

const { ConditionRuleEvaluated, ConditionRuleExpressionError } = WorkManifestReason.Complete;

/** What expressions are compiled with. A message also knows the result. */
export interface CelEngine {
  readonly rules: Cel;
  readonly messages: Cel;
}

/** A rule of CEL expressions, ready to be evaluated. `object` is in the types of CEL. */
export type CompiledRule = (object: unknown, budget: CostBudget) => ConditionInput;

/** The condition is true when all expressions are; nothing is evaluated after the first that is not. */
export function compileCelRule(rule: ManifestConditionRule, engine: CelEngine): CompiledRule {
  const expressions = (rule.celExpressions ?? []).map((expression) => tryCompile(engine.rules, expression));
  const message = rule.messageExpression ? tryCompile(engine.messages, rule.messageExpression) : undefined;
  const type = rule.condition;
  return (object, budget) => {
    try {
      const result = expressions.every((program) =>
        isTrue(budget.spend((meter) => ready(program).evaluate({ object }, meter))),
      );
      const text = messageOf(
        rule,
        result,
        () => message && budget.spend((meter) => ready(message).evaluate({ object, result }, meter)),
      );
      return { type, status: result ? 'True' : 'False', reason: ConditionRuleEvaluated, message: fitting(text) };
    } catch (error) {
      return { type, status: 'False', reason: ConditionRuleExpressionError, message: fitting(errorMessageOf(error)) };
    }
  };
}

/** An expression that cannot be compiled is reported when it is evaluated: one before it may be false. */
function tryCompile(cel: Cel, expression: string): CelProgram | CelCompileError {
  try {
    return cel.compile(expression);
  } catch (error) {
    if (error instanceof CelCompileError) return error;
    throw error;
  }
}

function ready(program: CelProgram | CelCompileError): CelProgram {
  if (program instanceof CelCompileError) throw program;
  return program;
}

function isTrue(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw new Error(`expected bool result, got ${goTypeOf(value)}`);
}

/** A message that cannot be computed says why, and does not change the status of the condition. */
function messageOf(rule: ManifestConditionRule, result: boolean, compute: () => unknown): string {
  try {
    const computed = compute();
    if (typeof computed === 'string' && computed !== '') return computed;
    if (computed !== undefined && computed !== '') {
      return `expected message expression to have a string result, got ${goTypeOf(computed)}`;
    }
  } catch (error) {
    return errorMessageOf(error);
  }
  return rule.message || (result ? `Manifest is ${rule.condition}` : `Manifest is not ${rule.condition}`);
}

/** What a condition has room for. */
const longestMessage = 32_768;
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
