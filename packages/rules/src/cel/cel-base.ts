import { Environment } from '@marcbachmann/cel-js';
import { CostMeter } from './cost.ts';
import { createPlanner, type ExpressionNode } from './expression-plan.ts';
import { registerCidr } from './libraries/cidr.ts';
import { registerFormat } from './libraries/format.ts';
import { registerIp } from './libraries/ip.ts';
import type { Library } from './libraries/library.ts';
import { registerLists } from './libraries/lists.ts';
import { registerOptionals } from './libraries/optionals.ts';
import { registerQuantity } from './libraries/quantity.ts';
import { regexMethods, registerRegex } from './libraries/regex.ts';
import { registerSemver } from './libraries/semver.ts';
import { registerStrings, stringMethods } from './libraries/strings.ts';
import { registerUrl } from './libraries/url.ts';
import { type Evaluator, meteredEvaluator } from './metered-evaluation.ts';

/** What is around an expression to charge for what it does. */
export const macro = '__metered__';

export const noLibrary: Library = () => {};

/** The functions of expressions, without variables. */
export interface CelBase {
  /** Not to be changed: clone it. */
  readonly environment: Environment;
  /** Who pays. Evaluation does not yield, so that there is one meter at a time. */
  readonly metering: { meter: CostMeter };
}

const libraries: readonly Library[] = [
  registerStrings,
  registerLists,
  registerOptionals,
  registerUrl,
  registerQuantity,
  registerIp,
  registerCidr,
  registerFormat,
  registerSemver,
];

/** A policy is checked with an environment for each of its variables, and registering a hundred functions takes a millisecond. */
const bases = new WeakMap<Library, CelBase>();

/** Made once for each library. */
export function celBase(register: Library): CelBase {
  const base = bases.get(register) ?? createBase(register);
  bases.set(register, base);
  return base;
}

function createBase(register: Library): CelBase {
  const metering = { meter: new CostMeter(0) };
  const charge = (units: number) => metering.meter.charge(units);
  const environment = new Environment({ homogeneousAggregateLiterals: false, enableOptionalTypes: true });
  for (const library of libraries) library(environment, charge);
  registerRegex(environment, metering);
  register(environment, charge);
  const replaced = { ...stringMethods, ...regexMethods };
  environment.registerFunction(`${macro}(ast): dyn`, ({ args: [node] }: { args: readonly [ExpressionNode] }) => {
    const planOf = createPlanner(replaced);
    return {
      typeCheck: (checker: { check(node: ExpressionNode, context: unknown): unknown }, _: unknown, context: unknown) =>
        checker.check(node, context),
      evaluate: (evaluator: Evaluator, _: unknown, context: unknown) =>
        meteredEvaluator(evaluator, metering.meter, planOf).run(node, context),
    };
  });
  return { environment, metering };
}
