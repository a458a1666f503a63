import {
  type ManifestConditionRule,
  ManifestWorkCondition,
  WorkManifestCondition,
  WorkManifestReason,
} from '@flotilla/api-types';
import type { ConditionInput } from '@flotilla/kube';
import type { CostLimits } from '@flotilla/rules/cel';
import type { RuleCaller } from '@flotilla/rules/runner';
import { qualifiedNamePattern } from '@flotilla/schema';
import { MessageBudget, type ReportLimits, wholeWork } from '../config/report-limits.ts';
import type { Manifest } from '../manifest.ts';
import type { CompiledRule } from './cel-rule.ts';
import type { ConditionEngine } from './engine.ts';
import { wellKnownRule } from './well-known.ts';

/** The condition rules of a manifest, ready to be applied to its object. */
export interface ConditionRules {
  /** The conditions of an object by the rules, in their order and without the generation of the work. Rejects when the caller is aborted. */
  evaluate(
    object: Manifest,
    caller?: RuleCaller,
    limits?: Pick<ReportLimits, 'reports'>,
    messages?: MessageBudget,
  ): Promise<ConditionInput[]>;
}

/** Compiles the condition rules of a manifest once, for all changes of its object. */
export type CompileConditionRules = (rules: readonly ManifestConditionRule[]) => Promise<ConditionRules>;

/** Make one for the process. `limits` is for tests; the default is Kubernetes'. */
export function createConditionRuleCompiler(limits?: CostLimits): CompileConditionRules {
  let loading: Promise<ConditionEngine> | undefined;
  return async (rules) => {
    const own = rules.filter(({ condition }) => isReportable(condition));
    if (own.length === 0) return { evaluate: async () => [] };
    loading ??= load(limits).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    const engine = await loading;
    const compiled = new Map<ManifestConditionRule, CompiledRule>();
    const wellKnown = new Map<string, CompiledRule | undefined>();
    for (const rule of own) if (rule.type === 'CEL') compiled.set(rule, engine.compile(rule));

    const wellKnownFor = (rule: ManifestConditionRule, object: Manifest): CompiledRule | undefined => {
      const key = JSON.stringify([rule, object.apiVersion, object.kind]);
      if (!wellKnown.has(key)) {
        const known = wellKnownRule(rule, object);
        wellKnown.set(key, known && engine.compile(known));
      }
      return wellKnown.get(key);
    };

    return {
      async evaluate(object, caller, { reports } = wholeWork, messages = new MessageBudget(wholeWork.letters)) {
        const budget = engine.newBudget();
        const conditions: ConditionInput[] = [];
        const report = (condition: ConditionInput): void => {
          conditions.push({ ...condition, message: messages.take(condition.message) });
        };
        for (const rule of own.slice(0, reports)) {
          const isWellKnown = rule.type === 'WellKnownConditions';
          const program = isWellKnown ? wellKnownFor(rule, object) : compiled.get(rule);
          if (program) report(await program(object, budget, caller));
          else if (!isWellKnown) report(unknownType(rule));
        }
        const next = own[reports];
        if (next) conditions.push(tooMany(next, reports));
        return conditions;
      },
    };
  };
}

/** CEL takes some megabytes, and few works have rules. */
async function load(limits: CostLimits | undefined): Promise<ConditionEngine> {
  const { createConditionEngine } = await import('./engine.ts');
  return createConditionEngine(limits);
}

/**
 * Conditions that the agent itself sets. A rule of that name would contradict it in every sync. `ResourceReady` is not among them: the
 * agent reports it only for works of replica sets, and leaves out the rule there.
 */
const reserved: readonly string[] = [
  WorkManifestCondition.Applied,
  WorkManifestCondition.Available,
  WorkManifestCondition.StatusFeedbackSynced,
  ManifestWorkCondition.Deleting,
];

/** What the schema allows as a type: with any other, the status of the whole work could not be written. */
const conditionType = new RegExp(qualifiedNamePattern);

const isReportable = (type: string): boolean =>
  !reserved.includes(type) && type.length <= 316 && conditionType.test(type);

/** What is reported for the rules of an object that must not be read. */
export function refuseConditions(
  rules: readonly ManifestConditionRule[],
  message: string,
  { reports }: Pick<ReportLimits, 'reports'>,
): ConditionInput[] {
  const own = rules.filter(({ condition }) => isReportable(condition));
  const { ConditionRuleInternalError: reason } = WorkManifestReason.Complete;
  const refused = own
    .slice(0, reports)
    .map(({ condition: type }): ConditionInput => ({ type, status: 'Unknown', reason, message }));
  const next = own[reports];
  return next ? [...refused, tooMany(next, reports)] : refused;
}

/** The first rule that is not evaluated. */
const tooMany = ({ condition }: ManifestConditionRule, reports: number): ConditionInput => ({
  type: condition,
  status: 'Unknown',
  reason: WorkManifestReason.Complete.ConditionRuleInvalid,
  message: `only the first ${reports} rules of a manifest of this work are evaluated: remove rules, or split the work`,
});

/** A rule of a type that a newer hub may know. */
const unknownType = ({ condition, type }: ManifestConditionRule): ConditionInput => ({
  type: condition,
  status: 'Unknown',
  reason: WorkManifestReason.Complete.ConditionRuleInvalid,
  message: `unrecognized condition rule type ${type}`,
});
