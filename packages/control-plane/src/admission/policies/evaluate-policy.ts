import { type Activation, activationsOf, type Outcome, OutOfBudget, type PolicyInput } from './activation.ts';
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
export async function evaluatePolicy(
  policy: CompiledPolicy,
  input: PolicyInput,
  ignoresErrors: boolean,
): Promise<PolicyResult> {
  const activations = activationsOf(policy, input);
  try {
    const matched = await meetsConditions(policy.matchConditions, activations.matchConditions);
    if (typeof matched === 'string') return ignoresErrors ? nothing : ofPolicy(matched);
    if (!matched) return nothing;
    const failures = await failuresOf(policy, activations, ignoresErrors);
    return { failures, ...(await annotationsOf(policy, activations.auditAnnotations, ignoresErrors)) };
  } catch (error) {
    if (!(error instanceof OutOfBudget)) throw error;
    return ignoresErrors ? nothing : ofPolicy(error.message);
  }
}

/** Whether all are true; a string is the reason why they could not be evaluated. */
async function meetsConditions(conditions: readonly Expression[], activation: Activation): Promise<boolean | string> {
  const outcomes = await outcomesOf(conditions, activation);
  if (outcomes.some((outcome) => 'value' in outcome && outcome.value === false)) return false;
  const errors = outcomes.flatMap((outcome) => ('error' in outcome ? [outcome.error] : []));
  if (errors.length === 0) return true;
  return errors.length === 1 ? (errors[0] ?? '') : `[${errors.join(', ')}]`;
}

/** One after the other: they share a budget. */
async function outcomesOf(expressions: readonly Expression[], activation: Activation): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const expression of expressions) outcomes.push(await activation.evaluate(expression));
  return outcomes;
}

async function failuresOf(
  { validations }: CompiledPolicy,
  activations: Readonly<Record<'validations' | 'messages', Activation>>,
  ignoresErrors: boolean,
): Promise<Failure[]> {
  const expressions = validations.map(({ expression }) => expression);
  const outcomes = await outcomesOf(expressions, activations.validations);
  const failures: Failure[] = [];
  for (const [index, { rule, message }] of validations.entries()) {
    const outcome = outcomes[index];
    if (!outcome || ('value' in outcome && outcome.value === true)) continue;
    if (!('error' in outcome)) {
      const shown = await messageOf(rule, message, activations.messages);
      failures.push({ message: shown, reason: rule.reason || 'Invalid', index });
    } else if (!ignoresErrors) failures.push({ message: outcome.error, index });
  }
  return failures;
}

/** The message that the expression makes, or the fixed one, or the expression itself. */
async function messageOf(rule: Validation, message: Expression | undefined, activation: Activation): Promise<string> {
  const outcome = message && (await activation.evaluate(message));
  const made = outcome && 'value' in outcome && typeof outcome.value === 'string' ? outcome.value.trim() : '';
  if (made !== '' && Buffer.byteLength(made) <= longestMessage && !made.includes('\n')) return made;
  return rule.message?.trim() || `failed expression: ${rule.expression.trim()}`;
}

async function annotationsOf(
  { auditAnnotations }: CompiledPolicy,
  activation: Activation,
  ignoresErrors: boolean,
): Promise<Pick<PolicyResult, 'auditAnnotations' | 'auditErrors'>> {
  const values: Record<string, string> = {};
  const errors: string[] = [];
  for (const { key, expression } of auditAnnotations) {
    const outcome = await activation.evaluate(expression);
    if ('error' in outcome) errors.push(...(ignoresErrors ? [] : [outcome.error]));
    else if (typeof outcome.value === 'string' && outcome.value.trim() !== '') values[key] = outcome.value.trim();
  }
  return { auditAnnotations: values, auditErrors: errors };
}
