import { type Activation, activationsOf, OutOfBudget, type PolicyInput } from './activation.ts';
import type { CompiledPolicy, Expression, Validation } from './compiled-policy.ts';

/** Why a policy denies a request. */
export interface Failure {
  readonly message: string;
  /** Unset if the policy could not be evaluated. */
  readonly reason?: string;
  /** Which validation it is. */
  readonly index: number;
}

/** The result of evaluating a policy for a request. */
export interface PolicyResult {
  readonly failures: readonly Failure[];
  readonly auditAnnotations: Readonly<Record<string, string>>;
  /** Annotations without a value: they deny the request, whatever the binding wants done about failures. */
  readonly auditErrors: readonly string[];
}

const nothing: PolicyResult = { failures: [], auditAnnotations: {}, auditErrors: [] };

/** The index that stands for the whole policy instead of one validation. */
const ofPolicy = (message: string): PolicyResult => ({ ...nothing, failures: [{ message, index: 0 }] });

/** How long a message made by an expression may be. */
const longestMessage = 5 * 1024;

/** Evaluates a policy for a request. What cannot be evaluated is a failure, unless the policy ignores that. */
export function evaluatePolicy(policy: CompiledPolicy, input: PolicyInput, ignoresErrors: boolean): PolicyResult {
  const activations = activationsOf(policy, input);
  try {
    const matched = meetsConditions(policy.matchConditions, activations.matchConditions);
    if (typeof matched === 'string') return ignoresErrors ? nothing : ofPolicy(matched);
    if (!matched) return nothing;
    const failures = failuresOf(policy, activations, ignoresErrors);
    return { failures, ...annotationsOf(policy, activations.auditAnnotations, ignoresErrors) };
  } catch (error) {
    if (!(error instanceof OutOfBudget)) throw error;
    return ignoresErrors ? nothing : ofPolicy(error.message);
  }
}

/** Whether all are true; a string is the reason why they could not be evaluated. */
function meetsConditions(conditions: readonly Expression[], activation: Activation): boolean | string {
  const outcomes = conditions.map((condition) => activation.evaluate(condition));
  if (outcomes.some((outcome) => 'value' in outcome && outcome.value === false)) return false;
  const errors = outcomes.flatMap((outcome) => ('error' in outcome ? [outcome.error] : []));
  if (errors.length === 0) return true;
  return errors.length === 1 ? (errors[0] ?? '') : `[${errors.join(', ')}]`;
}

function failuresOf(
  { validations }: CompiledPolicy,
  activations: Readonly<Record<'validations' | 'messages', Activation>>,
  ignoresErrors: boolean,
): Failure[] {
  const outcomes = validations.map(({ expression }) => activations.validations.evaluate(expression));
  return validations.flatMap(({ rule, message }, index) => {
    const outcome = outcomes[index];
    if (!outcome) return [];
    if ('error' in outcome) return ignoresErrors ? [] : [{ message: outcome.error, index }];
    if (outcome.value === true) return [];
    return [{ message: messageOf(rule, message, activations.messages), reason: rule.reason || 'Invalid', index }];
  });
}

/** The message that the expression makes, or the fixed one, or the expression itself. */
function messageOf(rule: Validation, message: Expression | undefined, activation: Activation): string {
  const outcome = message && activation.evaluate(message);
  const made = outcome && 'value' in outcome && typeof outcome.value === 'string' ? outcome.value.trim() : '';
  if (made !== '' && Buffer.byteLength(made) <= longestMessage && !made.includes('\n')) return made;
  return rule.message?.trim() || `failed expression: ${rule.expression.trim()}`;
}

function annotationsOf(
  { auditAnnotations }: CompiledPolicy,
  activation: Activation,
  ignoresErrors: boolean,
): Pick<PolicyResult, 'auditAnnotations' | 'auditErrors'> {
  const values: Record<string, string> = {};
  const errors: string[] = [];
  for (const { key, expression } of auditAnnotations) {
    const outcome = activation.evaluate(expression);
    if ('error' in outcome) errors.push(...(ignoresErrors ? [] : [outcome.error]));
    else if (typeof outcome.value === 'string' && outcome.value.trim() !== '') values[key] = outcome.value.trim();
  }
  return { auditAnnotations: values, auditErrors: errors };
}
