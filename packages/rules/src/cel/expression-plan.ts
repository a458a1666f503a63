import type { CostMeter } from './cost.ts';
import type { Evaluator } from './metered-evaluation.ts';

/** The part of a parsed node that is used here. */
export interface ExpressionNode {
  readonly op: string;
  readonly args: unknown;
  /** What a macro became: `alternate` is evaluated instead of the node, `macro` evaluates itself. */
  readonly meta?: { readonly alternate?: ExpressionNode; readonly macro?: unknown };
  evaluate(evaluator: Evaluator, node: ExpressionNode, context: unknown): unknown;
}

/** A method that is evaluated here instead of by the library; undefined if the values are not what it takes. */
export type ReplacedMethod = (values: readonly unknown[], meter: CostMeter) => unknown;

/** By name and number of arguments: `matches/1`. */
export type ReplacedMethods = Readonly<Record<string, ReplacedMethod>>;

/** What a node costs and how it is evaluated. */
export interface NodePlan {
  /** The node that is evaluated. */
  readonly node: ExpressionNode;
  /** The cost of the step itself, without its operands. */
  readonly cost: number;
  /** Whether the size of its operands is charged. */
  readonly chargesOperands: boolean;
  /** Whether it reads its operands again for each of their parts. */
  readonly chargesSquare: boolean;
  /** Whether all of its value is listed, to iterate over it. */
  readonly isRange: boolean;
  readonly replaced?: { readonly method: ReplacedMethod; readonly parts: readonly ExpressionNode[] };
}

const costOf: Readonly<Record<string, number>> = { value: 0, list: 10, map: 30 };

/** Operators that read all of their operands. Arithmetic does not, and neither does `size`. */
const chargingOperators = new Set(['==', '!=', '<', '<=', '>', '>=', 'in', '+', 'call', 'rcall']);

/** Plans the nodes of one expression, each once. */
export function createPlanner(replaced: ReplacedMethods): (node: ExpressionNode) => NodePlan {
  const plans = new Map<ExpressionNode, NodePlan>();
  const ranges = new Set<unknown>();
  return (given) => {
    const known = plans.get(given);
    if (known) return known;
    const node = actual(given);
    if (node.op === 'comprehension' && isComprehension(node.args)) ranges.add(node.args.iterable);
    const method = Object.hasOwn(replaced, signatureOf(node)) ? replaced[signatureOf(node)] : undefined;
    const plan = {
      node,
      cost: costOf[node.op] ?? 1,
      chargesOperands: chargingOperators.has(node.op) && node.meta?.macro === undefined && !isSize(node),
      chargesSquare: isDuration(node),
      // The range is run after its comprehension was planned.
      isRange: ranges.has(given),
      ...(method && { replaced: { method, parts: partsOf(node) } }),
    };
    plans.set(given, plan);
    return plan;
  };
}

function actual(node: ExpressionNode): ExpressionNode {
  let found = node;
  while (found.meta?.alternate) found = found.meta.alternate;
  return found;
}

const isComprehension = (args: unknown): args is { readonly iterable: unknown } =>
  typeof args === 'object' && args !== null && 'iterable' in args;

const isSize = ({ op, args }: ExpressionNode): boolean =>
  (op === 'call' || op === 'rcall') && Array.isArray(args) && args[0] === 'size';

/** The library looks through the rest of the text for each of its parts. */
const isDuration = ({ op, args }: ExpressionNode): boolean =>
  op === 'call' && Array.isArray(args) && args[0] === 'duration';

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
