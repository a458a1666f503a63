import { type Environment, EvaluationError } from '@marcbachmann/cel-js';
import { celBase, macro, noLibrary } from './cel-base.ts';
import { compileError } from './compile-error.ts';
import { CelCostError, type CostMeter } from './cost.ts';
import type { Library } from './libraries/library.ts';
import { conditionFunctions, placementFunctions, type ScoresOf } from './libraries/ocm.ts';

/** Thrown when an expression has no value for its input. */
export class CelEvaluationError extends Error {
  override readonly name = 'CelEvaluationError';
}

/** Functions beyond those of Kubernetes that another thread has, too. */
export type CelFunctions = 'conditions' | 'placement';

/** All that is needed to compile an expression in another thread. */
export interface CelSource {
  readonly expression: string;
  readonly variables: Readonly<Record<string, string | CelObjectType>>;
  readonly functions?: CelFunctions;
  readonly lateChecks?: boolean;
  /** Variables are values of CEL: they are not converted from JSON. */
  readonly isTyped?: boolean;
}

/** A compiled expression. */
export interface CelProgram {
  /** Undefined if it has functions that only this thread has. */
  readonly source?: CelSource;
  /** Finds the scores for functions of placements. */
  readonly scoresOf?: ScoresOf;
  /** False until an expression that is compiled later was used. */
  readonly isCompiled: boolean;
  /** The type of its value: `bool`, `list<string>`. `dyn` if it was not checked. */
  readonly type: string;
  /** Whether the expression uses a variable. */
  mentions(name: string): boolean;
  /** The value of the expression. Throws `CelEvaluationError`, or `CelCostError` when the meter's limit is reached. */
  evaluate(variables: Record<string, unknown>, meter: CostMeter): unknown;
}

/** Compiles expressions. */
export interface Cel {
  /** Throws `CelCompileError`. */
  compile(expression: string): CelProgram;
  /** A program that is compiled when it is first used, and throws `CelCompileError` then: compiling a long text takes time. */
  later(expression: string): CelProgram;
}

/** The fields of an object and their types. */
export interface CelObjectType {
  readonly [field: string]: string | CelObjectType;
}

/** What expressions may use. */
export interface CelOptions {
  /** The variables and their types. Any other name is an error when the expression is compiled, and so is an undeclared field. */
  readonly variables: Readonly<Record<string, string | CelObjectType>>;
  /** Check names and types only when an expression is evaluated, so that expressions of a newer server can be stored. */
  readonly lateChecks?: boolean;
  /** Functions of OCM: of condition rules, or of placements, which find the scores of clusters. */
  readonly functions?: 'conditions' | { readonly scoresOf: ScoresOf };
  /** The variables are given as values of CEL, which other threads know, too. Otherwise they are JSON for the runner of rules. */
  readonly isTyped?: boolean;
  /** Further functions, for expressions that are evaluated in this thread. */
  readonly register?: Library;
}

/** CEL as Kubernetes has it: with optional values, its libraries, and its limits of what an expression may cost. */
export function createCel(options: CelOptions): Cel {
  const { functions: ocm, register = libraryOf(ocm), variables, lateChecks = false, isTyped = false } = options;
  const scoresOf = typeof ocm === 'object' ? ocm.scoresOf : undefined;
  const shared: Omit<CelSource, 'expression'> | undefined = options.register
    ? undefined
    : { variables, lateChecks, isTyped, ...(ocm && { functions: scoresOf ? 'placement' : 'conditions' }) };
  const { environment: base, metering } = celBase(register);
  const environment = base.clone({});
  for (const [name, type] of Object.entries(variables)) {
    if (typeof type === 'string') environment.registerVariable(name, type);
    else environment.registerVariable(name, { schema: type });
  }

  let functions: ReadonlySet<string> | undefined;
  const isFunction = (name: string): boolean => {
    functions ??= new Set(environment.getDefinitions().functions.map((definition) => definition.name));
    return functions.has(name);
  };

  const cel: Cel = {
    compile(expression) {
      // The argument by itself first: one that closes the macro's parenthesis too early is not an expression.
      const { ast, check } = parsed(environment, expression, expression);
      const checked = lateChecks ? undefined : check();
      if (checked?.valid === false) throw compileError(checked.error, expression, isFunction);
      const program = parsed(environment, `${macro}(${expression}\n)`, expression);
      return {
        ...(shared && { source: { ...shared, expression } }),
        ...(scoresOf && { scoresOf }),
        isCompiled: true,
        type: checked?.type ?? 'dyn',
        mentions: (name) => mentions(ast, name),
        evaluate(given, own) {
          const outer = metering.meter;
          metering.meter = own;
          try {
            return program(given);
          } catch (error) {
            throw evaluationError(error);
          } finally {
            metering.meter = outer;
          }
        },
      };
    },
    later: (expression) =>
      compiledLater(cel, expression, {
        ...(shared && { source: { ...shared, expression } }),
        ...(scoresOf && { scoresOf }),
      }),
  };
  return cel;
}

/** A program that is compiled once, when it is first used. */
function compiledLater(cel: Cel, expression: string, elsewhere: Pick<CelProgram, 'source' | 'scoresOf'>): CelProgram {
  let compiled: (() => CelProgram) | undefined;
  const program = (): CelProgram => {
    compiled ??= attempt(() => cel.compile(expression));
    return compiled();
  };
  return {
    ...elsewhere,
    get isCompiled() {
      return compiled !== undefined;
    },
    get type() {
      return program().type;
    },
    mentions: (name) => program().mentions(name),
    evaluate: (given, meter) => program().evaluate(given, meter),
  };
}

/** Runs once; returns or throws what came of it. */
function attempt<T>(run: () => T): () => T {
  try {
    const value = run();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

function libraryOf(functions: CelOptions['functions']): Library {
  if (functions === undefined) return noLibrary;
  return functions === 'conditions' ? conditionFunctions : placementFunctions(functions.scoresOf);
}

function mentions(node: unknown, name: string): boolean {
  if (Array.isArray(node)) return node.some((each) => mentions(each, name));
  if (typeof node !== 'object' || node === null || !('op' in node) || !('args' in node)) return false;
  return node.op === 'id' ? node.args === name : mentions(node.args, name);
}

function parsed(environment: Environment, text: string, expression: string): ReturnType<Environment['parse']> {
  try {
    return environment.parse(text);
  } catch (error) {
    throw compileError(error, expression, () => true);
  }
}

function evaluationError(error: unknown): Error {
  if (error instanceof CelCostError) return error;
  const why = error instanceof EvaluationError ? error.summary : firstLineOf(error);
  const message = why.replace(/^No such key: index out of bounds, index (\S+).*$/, 'index out of bounds: $1');
  return new CelEvaluationError(
    /^[A-Z][a-z]/.test(message) ? message.charAt(0).toLowerCase() + message.slice(1) : message,
    {
      cause: error,
    },
  );
}

const firstLineOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
