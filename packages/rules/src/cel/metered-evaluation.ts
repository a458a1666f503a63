import { CelCostError, type CostMeter, costOfCharacter, createSizer } from './cost.ts';
import type { ExpressionNode, NodePlan } from './expression-plan.ts';

/** What evaluates expressions: each node asks it for the values of the nodes inside. */
export interface Evaluator {
  run(node: ExpressionNode, context: unknown): unknown;
  tryEval(node: ExpressionNode, context: unknown): unknown;
  debugTypeDeep(value: unknown): unknown;
  debugRuntimeType(value: unknown, type: unknown): unknown;
}

/**
 * An evaluator that does what another one does and counts it. The library has no limits at run time; but all of an expression is
 * evaluated through `run` and `tryEval` of the evaluator that a macro is given, so that another one can be put in its place.
 */
export function meteredEvaluator(
  evaluator: Evaluator,
  meter: CostMeter,
  planOf: (node: ExpressionNode) => NodePlan,
): Evaluator {
  const sizeOf = createSizer();

  const derive = (run: Evaluator['run']): Evaluator =>
    Object.create(evaluator, {
      run: { value: run },
      tryEval: { value: (node: ExpressionNode, context: unknown) => attempt(run, node, context) },
      // These use private fields, which only the evaluator itself has.
      debugTypeDeep: { value: (value: unknown) => evaluator.debugTypeDeep(value) },
      debugRuntimeType: { value: (value: unknown, type: unknown) => evaluator.debugRuntimeType(value, type) },
    });

  const metered = derive((given, context) => {
    const { node, cost, chargesOperands, chargesSquare, isRange, replaced } = planOf(given);
    meter.charge(cost);
    const values = replaced?.parts.map((part) => charging.run(part, context));
    const own = values && replaced?.method(values, meter);
    const inner = chargesSquare ? squaring : chargesOperands ? charging : metered;
    const value = own ?? node.evaluate(values ? knowing(replaced?.parts ?? [], values) : inner, node, context);
    // Listing what is iterated over takes time, also when the first item decides.
    if (isRange) meter.charge(lengthOf(value) * costOfCharacter);
    return value;
  });

  const charging = derive((node, context) => {
    const value = metered.run(node, context);
    meter.charge(sizeOf(value));
    return value;
  });

  /** For a method whose operands were evaluated before: they are neither evaluated nor charged again. */
  const knowing = (nodes: readonly ExpressionNode[], values: readonly unknown[]): Evaluator =>
    derive((node, context) => {
      const at = nodes.indexOf(node);
      return at < 0 ? charging.run(node, context) : values[at];
    });

  const squaring = derive((node, context) => {
    const value = charging.run(node, context);
    meter.charge(sizeOf(value) ** 2);
    return value;
  });

  return metered;
}

/** `||`, `&&` and quantifiers may ignore errors of their operands, but not that the limit is reached. */
function attempt(run: Evaluator['run'], node: ExpressionNode, context: unknown): unknown {
  try {
    return run(node, context);
  } catch (error) {
    if (error instanceof CelCostError) throw error;
    return error;
  }
}

function lengthOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}
