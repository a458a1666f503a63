import type { ValidatingAdmissionPolicy } from '@flotilla/kube/kinds';
import { type Cel, CelCompileError, type CelProgram } from '@flotilla/rules/cel';

type Spec = NonNullable<ValidatingAdmissionPolicy['spec']>;
export type Validation = NonNullable<Spec['validations']>[number];

/** An expression, ready to run, or why it cannot run. */
export interface Expression {
  readonly text: string;
  readonly program: CelProgram | CelCompileError;
}

export interface CompiledPolicy {
  readonly matchConditions: readonly Expression[];
  readonly variables: ReadonlyMap<string, Expression>;
  readonly validations: readonly {
    readonly rule: Validation;
    readonly expression: Expression;
    readonly message?: Expression;
  }[];
  readonly auditAnnotations: readonly { readonly key: string; readonly expression: Expression }[];
}

/** Compiles all expressions of a policy. */
export function compilePolicy(cel: Cel, { spec = {} }: ValidatingAdmissionPolicy): CompiledPolicy {
  const compile = (text: string): Expression => ({ text, program: programOf(cel, text) });
  return {
    matchConditions: (spec.matchConditions ?? []).map(({ expression }) => compile(expression)),
    variables: new Map((spec.variables ?? []).map(({ name, expression }) => [name, compile(expression)])),
    validations: (spec.validations ?? []).map((rule) => ({
      rule,
      expression: compile(rule.expression),
      ...(rule.messageExpression && { message: compile(rule.messageExpression) }),
    })),
    auditAnnotations: (spec.auditAnnotations ?? []).map(({ key, valueExpression }) => ({
      key,
      expression: compile(valueExpression),
    })),
  };
}

function programOf(cel: Cel, text: string): CelProgram | CelCompileError {
  try {
    return cel.compile(text);
  } catch (error) {
    if (error instanceof CelCompileError) return error;
    throw error;
  }
}
