import type { ManifestConfigOption, ManifestResourceMeta, ManifestUpdateStrategy } from '@flotilla/api-types';
import { createConditionRuleCompiler, refuseConditions } from './condition-rules/condition-rules.ts';
import { type ResolvedConfig, resolveManifestConfig } from './config/resolve-config.ts';
import { compileFeedbackRules, type FeedbackOptions } from './feedback/feedback-rules.ts';
import type { Manifest } from './manifest.ts';
import type { Observation } from './status/observation.ts';

/** What the manifestConfigs of works mean. */
export interface WorkRules {
  configOf(
    configs: readonly ManifestConfigOption[] | undefined,
    meta: ManifestResourceMeta,
  ): ResolvedConfig | undefined;
  /** What the rules report about an object. */
  observe(object: Manifest, config: ResolvedConfig | undefined): Promise<Observation>;
  /** What is reported for the rules of an object that must not be read. */
  refuse(config: ResolvedConfig | undefined, reason: string): Observation;
}

/** Compiled rules that are remembered; works of one template share theirs. */
const mostCompiled = 1000;

type Observer = (object: Manifest) => Observation;

/** The rules as OCM has them. */
export function createWorkRules(options: FeedbackOptions): WorkRules {
  const compiled = new Map<string, Promise<Observer>>();
  const compileConditionRules = createConditionRuleCompiler();

  const compile = async (config: ResolvedConfig | undefined): Promise<Observer> => {
    const { feedbackRules = [], conditionRules = [] } = config ?? {};
    const feedback = compileFeedbackRules(feedbackRules, options);
    const conditions = await compileConditionRules(conditionRules);
    return (object) => ({
      ...feedback.read(object),
      hasFeedbackRules: feedbackRules.length > 0,
      conditions: conditions.evaluate(object),
    });
  };

  return {
    configOf: resolveManifestConfig,
    refuse: ({ feedbackRules = [], conditionRules = [] } = {}, reason) => ({
      values: [],
      errors: [reason],
      hasFeedbackRules: feedbackRules.length > 0,
      conditions: refuseConditions(conditionRules, reason),
    }),
    async observe(object, config) {
      const key = rulesKeyOf(config);
      let observer = compiled.get(key);
      if (!observer) {
        if (compiled.size >= mostCompiled) compiled.clear();
        observer = compile(config);
        compiled.set(key, observer);
      }
      return (await observer)(object);
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
