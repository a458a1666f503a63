import { CelCompileError, CelCostError, type CelProgram, CostBudget, celFailure, celValue } from '@flotilla/rules/cel';
import { ruleRunner } from '@flotilla/rules/runner';
import type { KubeObject } from '@flotilla/schema';
import type { AdmissionRequest } from '../../contracts/admission.ts';
import type { ResourceInfo } from '../../contracts/resource-info.ts';
import { inVersionOf, requestFields } from '../webhooks/review.ts';
import type { CompiledPolicy, Expression } from './compiled-policy.ts';

/** What the expressions of a policy are evaluated with. */
export interface PolicyInput {
  /** The request in the version that the policy is about. */
  readonly info: ResourceInfo;
  readonly request: AdmissionRequest;
  /** Null if the request is in no namespace. */
  readonly namespace: KubeObject | null;
  /** Null if the binding names none. */
  readonly params: KubeObject | null;
  readonly authorizer: object;
}

/** What all expressions of a policy may cost together, and each of them. */
const limits = { perExpression: 1_000_000, inAll: 10_000_000 };
const matchConditionLimits = { perExpression: 1_000_000, inAll: 2_500_000 };

/** What a turn of the event loop has to have left for an expression to begin, as for other rules. It may take more. */
const unitsOfTurn = 10_000;

const outOfBudget = 'validation failed due to running out of cost budget, no further validation rules will be run';

/** Thrown when the cost budget is used up. */
export class OutOfBudget extends Error {
  override readonly name = 'OutOfBudget';

  constructor() {
    super(outOfBudget);
  }
}

/** The value of an expression, or why it has none. */
export type Outcome = { readonly value: unknown } | { readonly error: string };

/** The variables of expressions, with their values for one request. */
export class Activation {
  readonly #names: Record<string, unknown>;
  readonly #budget: CostBudget;

  constructor(names: Record<string, unknown>, { variables }: Pick<CompiledPolicy, 'variables'>, budget: CostBudget) {
    this.#budget = budget;
    this.#names = { ...names, variables: this.#lazy(variables) };
  }

  /** Waits until this turn of the event loop has time. Rejects with `OutOfBudget`. */
  async evaluate({ text, program }: Expression): Promise<Outcome> {
    if (program instanceof CelCompileError) {
      return { error: `compilation error: compilation failed: ${program.display}` };
    }
    await ruleRunner.whenFree(unitsOfTurn);
    try {
      return { value: this.#valueOf(program) };
    } catch (error) {
      return { error: `expression '${text}' resulted in error: ${this.#reasonOf(error)}` };
    }
  }

  /** In this thread, which alone knows the authorizer. */
  #valueOf(program: CelProgram): unknown {
    return this.#budget.spend((meter) => {
      try {
        return program.evaluate(this.#names, meter);
      } finally {
        ruleRunner.spend(meter.occupied);
      }
    });
  }

  #reasonOf(error: unknown): string {
    if (error instanceof OutOfBudget || (error instanceof CelCostError && error.exceeded === 'budget')) {
      throw new OutOfBudget();
    }
    // The messages of the API server do not name the operands.
    return (error instanceof Error ? error.message : String(error)).replace(
      /^no such overload: .*$/,
      'no such overload',
    );
  }

  /** Each variable is evaluated when it is first used, and only once. */
  #lazy(variables: CompiledPolicy['variables']): object {
    const values = {};
    for (const [name, expression] of variables) {
      let known: Outcome | undefined;
      Object.defineProperty(values, name, {
        enumerable: true,
        get: () => {
          known ??= this.#variable(name, expression);
          if ('error' in known) throw celFailure(known.error);
          return known.value;
        },
      });
    }
    return values;
  }

  #variable(name: string, { program }: Expression): Outcome {
    const shown = JSON.stringify(name);
    if (program instanceof CelCompileError) {
      return { error: `composited variable ${shown} fails to compile: compilation failed: ${program.display}` };
    }
    try {
      return { value: this.#valueOf(program) };
    } catch (error) {
      return { error: `composited variable ${shown} fails to evaluate: ${this.#reasonOf(error)}` };
    }
  }
}

/** The activations for the parts of one policy. Each part has its own budget and evaluates variables anew, as in the API server. */
export interface Activations {
  readonly matchConditions: Activation;
  readonly validations: Activation;
  /** Shares the budget of the validations. Without the authorizer. */
  readonly messages: Activation;
  /** Without the authorizer. */
  readonly auditAnnotations: Activation;
}

export function activationsOf(policy: CompiledPolicy, input: PolicyInput): Activations {
  const { info, request, namespace, params, authorizer } = input;
  const inVersion = (object: KubeObject | undefined) => celValue(object ? inVersionOf(info, object) : null);
  const names = {
    object: inVersion(request.object),
    oldObject: inVersion(request.oldObject),
    request: celValue(requestFields(info, request)),
    namespaceObject: celValue(namespace),
    params: celValue(params),
  };
  const budget = new CostBudget(limits);
  return {
    matchConditions: new Activation(
      { ...names, namespaceObject: null, authorizer },
      policy,
      new CostBudget(matchConditionLimits),
    ),
    validations: new Activation({ ...names, authorizer }, policy, budget),
    messages: new Activation(names, policy, budget),
    auditAnnotations: new Activation(names, policy, new CostBudget(limits)),
  };
}
