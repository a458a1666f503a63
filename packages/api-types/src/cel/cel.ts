import { TypeError as CheckError, Environment, EvaluationError, ParseError } from '@marcbachmann/cel-js';
import { CelCostError, CostMeter } from './cost.ts';
import { createPlanner, type ExpressionNode } from './expression-plan.ts';
import { registerCidr } from './libraries/cidr.ts';
import { registerFormat } from './libraries/format.ts';
import { registerIp } from './libraries/ip.ts';
import { registerLists } from './libraries/lists.ts';
import { registerQuantity } from './libraries/quantity.ts';
import { regexMethods, registerRegex } from './libraries/regex.ts';
import { registerSemver } from './libraries/semver.ts';
import { registerStrings, stringMethods } from './libraries/strings.ts';
import { registerUrl } from './libraries/url.ts';
import { type Evaluator, meteredEvaluator } from './metered-evaluation.ts';
import type { RegexEngine } from './regex.ts';

/** An expression that cannot be compiled. The message is of one line and tells the place. */
export class CelCompileError extends Error {
  override readonly name = 'CelCompileError';
}

/** An expression that has no value for what it was given. */
export class CelEvaluationError extends Error {
  override readonly name = 'CelEvaluationError';
}

/** A compiled expression. */
export interface CelProgram {
  /** Whether the expression speaks of a variable. */
  mentions(name: string): boolean;
  /** The value of the expression. Throws `CelEvaluationError`, or `CelCostError` when the meter's limit is reached. */
  evaluate(variables: Record<string, unknown>, meter: CostMeter): unknown;
}

/** Compiles expressions. */
export interface Cel {
  /** Throws `CelCompileError`. */
  compile(expression: string): CelProgram;
}

/** What expressions may speak of. */
export interface CelOptions {
  /** The variables and their types. Any other name is an error when the expression is compiled. */
  readonly variables: Readonly<Record<string, string>>;
  readonly regex: RegexEngine;
  /** Look at names and types only when an expression is evaluated: what a newer server knows can be stored, then. */
  readonly lateChecks?: boolean;
  /** Further functions. */
  readonly register?: (environment: Environment) => void;
}

const macro = '__metered__';

/** CEL as Kubernetes has it: with optional values, its libraries, and its limits of what an expression may cost. */
export function createCel({ variables, regex, lateChecks = false, register }: CelOptions): Cel {
  // Evaluation does not yield, so that there is one meter at a time.
  let meter = new CostMeter(0);
  const replaced = { ...stringMethods, ...regexMethods(regex) };
  const environment = new Environment({ homogeneousAggregateLiterals: false, enableOptionalTypes: true });
  for (const [name, type] of Object.entries(variables)) environment.registerVariable(name, type);
  for (const library of [
    registerStrings,
    registerLists,
    registerUrl,
    registerQuantity,
    registerIp,
    registerCidr,
    registerFormat,
    registerSemver,
  ]) {
    library(environment, (units) => meter.charge(units));
  }
  registerRegex(environment, regex, (units) => meter.charge(units));
  register?.(environment);
  environment.registerFunction(`${macro}(ast): dyn`, ({ args: [node] }: { args: readonly [ExpressionNode] }) => {
    const planOf = createPlanner(replaced);
    return {
      typeCheck: (checker: { check(node: ExpressionNode, context: unknown): unknown }, _: unknown, context: unknown) =>
        checker.check(node, context),
      evaluate: (evaluator: Evaluator, _: unknown, context: unknown) =>
        meteredEvaluator(evaluator, meter, planOf).run(node, context),
    };
  });

  return {
    compile(expression) {
      // By itself first: what closes the macro's parenthesis too early is no expression.
      const { ast, check } = compiled(() => environment.parse(expression));
      const checked = lateChecks ? undefined : check();
      if (checked?.valid === false) throw compileError(checked.error);
      const program = compiled(() => environment.parse(`${macro}(${expression}\n)`));
      return {
        mentions: (name) => mentions(ast, name),
        evaluate(given, own) {
          const outer = meter;
          meter = own;
          try {
            return program(given);
          } catch (error) {
            throw evaluationError(error);
          } finally {
            meter = outer;
          }
        },
      };
    },
  };
}

function mentions(node: unknown, name: string): boolean {
  if (Array.isArray(node)) return node.some((each) => mentions(each, name));
  if (typeof node !== 'object' || node === null || !('op' in node) || !('args' in node)) return false;
  return node.op === 'id' ? node.args === name : mentions(node.args, name);
}

function compiled<T>(compile: () => T): T {
  try {
    return compile();
  } catch (error) {
    throw compileError(error);
  }
}

/** In the form of cel-go, which users know: `ERROR: <input>:1:5: what is wrong`. */
function compileError(error: unknown): CelCompileError {
  if (!(error instanceof ParseError || error instanceof CheckError)) {
    return new CelCompileError(`ERROR: <input>:1:1: ${firstLineOf(error)}`, { cause: error });
  }
  const before = (error.node?.input ?? '').slice(0, error.range?.start ?? 0).split('\n');
  const place = `${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
  const name = error.code === 'unknown_variable' ? /^Unknown variable: (.*)$/.exec(error.summary)?.[1] : undefined;
  const why = name === undefined ? error.summary : `undeclared reference to '${name}' (in container '')`;
  return new CelCompileError(`ERROR: <input>:${place}: ${why}`, { cause: error });
}

function evaluationError(error: unknown): Error {
  if (error instanceof CelCostError) return error;
  const why = error instanceof EvaluationError ? error.summary : firstLineOf(error);
  const told = why.replace(/^No such key: index out of bounds, index (\S+).*$/, 'index out of bounds: $1');
  return new CelEvaluationError(/^[A-Z][a-z]/.test(told) ? told.charAt(0).toLowerCase() + told.slice(1) : told, {
    cause: error,
  });
}

const firstLineOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
