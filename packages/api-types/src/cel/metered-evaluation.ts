import { CelCostError, type CostMeter, costOfCharacter, createScale } from './cost.ts';

/** A node of a parsed expression, as far as it is looked at here. */
export interface ExpressionNode {
  readonly op: string;
  readonly args: unknown;
  /** What a macro became: `alternate` is evaluated instead of the node, `macro` evaluates itself. */
  readonly meta?: { readonly alternate?: ExpressionNode; readonly macro?: unknown };
  evaluate(evaluator: Evaluator, node: ExpressionNode, context: unknown): unknown;
}

/** What evaluates expressions: each node asks it for the values of the nodes inside. */
export interface Evaluator {
  run(node: ExpressionNode, context: unknown): unknown;
  tryEval(node: ExpressionNode, context: unknown): unknown;
  debugTypeDeep(value: unknown): unknown;
  debugRuntimeType(value: unknown, type: unknown): unknown;
}

/** A method that is evaluated here instead of by the library; undefined if the values are not what it takes. */
export type ReplacedMethod = (values: readonly unknown[], meter: CostMeter) => unknown;

/** By name and number of arguments: `matches/1`. */
export type ReplacedMethods = Readonly<Record<string, ReplacedMethod>>;

const costOf: Readonly<Record<string, number>> = { value: 0, list: 10, map: 30 };

/** What looks at the whole of its operands. Arithmetic does not, and neither does `size`. */
const weighing = new Set(['==', '!=', '<', '<=', '>', '>=', 'in', '+', 'call', 'rcall']);

/**
 * An evaluator that does what another one does and counts it. The library has no limits at run time; but all of an expression is
 * evaluated through `run` and `tryEval` of the evaluator that a macro is given, so that another one can be put in its place.
 */
export function meteredEvaluator(evaluator: Evaluator, meter: CostMeter, replaced: ReplacedMethods): Evaluator {
  const weigh = createScale();

  const derive = (run: Evaluator['run']): Evaluator =>
    Object.create(evaluator, {
      run: { value: run },
      tryEval: { value: (node: ExpressionNode, context: unknown) => attempt(run, node, context) },
      // These use private fields, which only the evaluator itself has.
      debugTypeDeep: { value: (value: unknown) => evaluator.debugTypeDeep(value) },
      debugRuntimeType: { value: (value: unknown, type: unknown) => evaluator.debugRuntimeType(value, type) },
    });

  const metered = derive((given, context) => {
    const node = actual(given);
    meter.charge(costOf[node.op] ?? 1);
    if (node.meta?.macro !== undefined) return node.evaluate(metered, node, context);
    if (node.op === 'comprehension') return node.evaluate(iterating(node), node, context);
    if (!weighing.has(node.op) || isSize(node)) return node.evaluate(metered, node, context);
    const method = replaced[signatureOf(node)];
    const own = method?.(
      partsOf(node).map((part) => weighed.run(part, context)),
      meter,
    );
    return own === undefined ? node.evaluate(weighed, node, context) : own;
  });

  const weighed = derive((node, context) => {
    const value = metered.run(node, context);
    meter.charge(weigh(value));
    return value;
  });

  /** Listing what is iterated over takes time, also when the first item decides. */
  const iterating = ({ args }: ExpressionNode): Evaluator =>
    derive((node, context) => {
      const value = metered.run(node, context);
      if (isIterable(args) && args.iterable === node) meter.charge(lengthOf(value) * costOfCharacter);
      return value;
    });

  return metered;
}

/** Errors are values to `||`, `&&` and quantifiers, which may do without them; that the limit is reached, they may not. */
function attempt(run: Evaluator['run'], node: ExpressionNode, context: unknown): unknown {
  try {
    return run(node, context);
  } catch (error) {
    if (error instanceof CelCostError) throw error;
    return error;
  }
}

function actual(node: ExpressionNode): ExpressionNode {
  let found = node;
  while (found.meta?.alternate) found = found.meta.alternate;
  return found;
}

const isSize = ({ op, args }: ExpressionNode): boolean =>
  (op === 'call' || op === 'rcall') && Array.isArray(args) && args[0] === 'size';

function signatureOf({ op, args }: ExpressionNode): string {
  if (op !== 'rcall' || !Array.isArray(args)) return '';
  const [name, , given] = args;
  return Array.isArray(given) ? `${name}/${given.length}` : '';
}

/** The receiver and the arguments of a method. */
function partsOf({ args }: ExpressionNode): ExpressionNode[] {
  if (!Array.isArray(args)) return [];
  const [, receiver, given] = args;
  return [receiver, ...given];
}

const isIterable = (args: unknown): args is { readonly iterable: ExpressionNode } =>
  typeof args === 'object' && args !== null && 'iterable' in args;

function lengthOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}
