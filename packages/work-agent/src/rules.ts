import type { ManifestConfigOption, ManifestResourceMeta, ManifestUpdateStrategy } from '@flotilla/api-types';
import { PathBudget } from '@flotilla/rules/jsonpath';
import { type RuleCaller, ruleRunner } from '@flotilla/rules/runner';
import {
  type CompileConditionRules,
  createConditionRuleCompiler,
  refuseConditions,
} from './condition-rules/condition-rules.ts';
import { comparisonsFor, type ResolvedConfig, resolveManifestConfig } from './config/resolve-config.ts';
import { compileFeedbackRules, type Feedback, type FeedbackOptions } from './feedback/feedback-rules.ts';
import type { Manifest } from './manifest.ts';
import type { Observation } from './status/observation.ts';

/** What the manifestConfigs of works mean. */
export interface WorkRules {
  configOf(
    configs: readonly ManifestConfigOption[] | undefined,
    meta: ManifestResourceMeta,
  ): ResolvedConfig | undefined;
  /** What the rules report about an object. Rejects when the caller is aborted. */
  observe(object: Manifest, config: ResolvedConfig | undefined, caller?: RuleCaller): Promise<Observation>;
  /** What is reported for the rules of an object that must not be read. */
  refuse(config: ResolvedConfig | undefined, reason: string): Observation;
}

/** Compiled rules that are remembered; works of one template share theirs. */
const mostCompiled = 1000;

type Observer = (object: Manifest, caller: RuleCaller | undefined) => Promise<Observation>;

/** Values that paths visit for the time of one unit of CEL. */
const valuesPerUnit = 10;

/** What comparing one wildcard costs: thousands of manifests may each be compared with thousands of them. */
const unitsPerPattern = 5;

/** What searching for one letter of a wildcard costs. */
const unitsPerLetter = 0.1;

/** The rules as OCM has them. */
export function createWorkRules(
  options: FeedbackOptions,
  compileConditionRules: CompileConditionRules = createConditionRuleCompiler(),
): WorkRules {
  const compiled = new Map<string, Promise<Observer>>();

  const compile = async (config: ResolvedConfig | undefined): Promise<Observer> => {
    const { feedbackRules = [], conditionRules = [] } = config ?? {};
    const feedback = compileFeedbackRules(feedbackRules, options);
    const conditions = await compileConditionRules(conditionRules);
    const readFeedback = async (object: Manifest): Promise<Feedback> => {
      const budget = new PathBudget();
      // Most paths visit a few values.
      await ruleRunner.whenFree(1);
      try {
        return feedback.read(object, budget);
      } finally {
        ruleRunner.spend(budget.spent / valuesPerUnit);
      }
    };
    return async (object, caller) => ({
      ...(await readFeedback(object)),
      hasFeedbackRules: feedbackRules.length > 0,
      conditions: await conditions.evaluate(object, caller),
    });
  };

  return {
    configOf(configs, meta) {
      const { patterns, letters } = comparisonsFor(configs, meta);
      ruleRunner.spend(patterns * unitsPerPattern + letters * unitsPerLetter);
      return resolveManifestConfig(configs, meta);
    },
    refuse: ({ feedbackRules = [], conditionRules = [] } = {}, reason) => ({
      values: [],
      errors: [reason],
      hasFeedbackRules: feedbackRules.length > 0,
      conditions: refuseConditions(conditionRules, reason),
    }),
    async observe(object, config, caller) {
      const key = rulesKeyOf(config);
      let observer = compiled.get(key);
      if (!observer) {
        if (compiled.size >= mostCompiled) compiled.clear();
        observer = compile(config);
        compiled.set(key, observer);
        // What cannot be compiled now, since a module cannot be read, is tried again with the next object.
        observer.catch(() => compiled.delete(key));
      }
      return (await observer)(object, caller);
    },
  };
}

/** Names the rules that observe an object; empty if there are none. */
export const rulesKeyOf = (config: ResolvedConfig | undefined): string =>
  config?.feedbackRules || config?.conditionRules
    ? JSON.stringify([config.feedbackRules ?? [], config.conditionRules ?? []])
    : '';

/** How a manifest is written. */
export const strategyOf = (config: ResolvedConfig | undefined): ManifestUpdateStrategy =>
  config?.updateStrategy ?? { type: 'Update' };
