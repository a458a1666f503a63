import type { ManifestConfigOption, ManifestResourceMeta, ManifestUpdateStrategy } from '@flotilla/api-types';
import { PathBudget } from '@flotilla/rules/jsonpath';
import { type RuleCaller, ruleRunner } from '@flotilla/rules/runner';
import {
  type CompileConditionRules,
  createConditionRuleCompiler,
  refuseConditions,
} from './condition-rules/condition-rules.ts';
import { MessageBudget, type ReportLimits, wholeWork } from './config/report-limits.ts';
import { comparisonsFor, type ResolvedConfig, resolveManifestConfig } from './config/resolve-config.ts';
import { settingsDigest } from './config/settings-digest.ts';
import { compileFeedbackRules, type Feedback, type FeedbackOptions } from './feedback/feedback-rules.ts';
import { wellKnownPaths } from './feedback/well-known.ts';
import type { Manifest } from './manifest.ts';
import type { Observation } from './status/observation.ts';

/** What the manifestConfigs of works mean. */
export interface WorkRules {
  configOf(
    configs: readonly ManifestConfigOption[] | undefined,
    meta: ManifestResourceMeta,
  ): ResolvedConfig | undefined;
  /** What the rules report about an object. Rejects when the caller is aborted. */
  observe(object: Manifest, config: ResolvedConfig | undefined, options?: ObserveOptions): Promise<Observation>;
  /** What is reported for the rules of an object that must not be read. */
  refuse(config: ResolvedConfig | undefined, reason: string, limits?: ReportLimits): Observation;
}

/** For whom an object is observed, and how much is reported; without limits as much as about the only object of a work. */
export interface ObserveOptions {
  readonly caller?: RuleCaller;
  readonly limits?: ReportLimits;
}

/** Letters of the compiled rules that are remembered, which take some hundred times as much memory. Works of one template share theirs. */
const maxCompiledLetters = 1_000_000;

type Observer = (object: Manifest, options: ObserveOptions) => Promise<Observation>;

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
  const compile = async (config: ResolvedConfig | undefined): Promise<Observer> => {
    const { feedbackRules = [], conditionRules = [] } = config ?? {};
    const feedback = compileFeedbackRules(feedbackRules, options);
    const conditions = await compileConditionRules(conditionRules);
    const readFeedback = async (object: Manifest, limits: ReportLimits): Promise<Feedback> => {
      const budget = new PathBudget();
      // Most paths visit a few values.
      await ruleRunner.whenFree(1);
      try {
        return feedback.read(object, budget, limits);
      } finally {
        ruleRunner.spend(budget.spent / valuesPerUnit);
      }
    };
    return async (object, { caller, limits = wholeWork }) => {
      const messages = new MessageBudget(limits.letters);
      return {
        ...(await readFeedback(object, limits)),
        hasFeedbackRules: feedbackRules.length > 0,
        conditions: await conditions.evaluate(object, caller, limits, messages),
        ...(messages.isCut && { cutAt: limits.letters }),
      };
    };
  };

  const observers = new Observers(compile);
  return {
    configOf(configs, meta) {
      const { patterns, letters } = comparisonsFor(configs, meta);
      ruleRunner.spend(patterns * unitsPerPattern + letters * unitsPerLetter);
      return resolveManifestConfig(configs, meta);
    },
    refuse: ({ feedbackRules = [], conditionRules = [] } = {}, reason, limits = wholeWork) => ({
      values: [],
      errors: [reason],
      hasFeedbackRules: feedbackRules.length > 0,
      conditions: refuseConditions(conditionRules, reason, limits),
    }),
    async observe(object, config, options = {}) {
      return (await observers.of(config))(object, options);
    },
  };
}

/** Compiled rules, by what they say. */
class Observers {
  readonly #compile: (config: ResolvedConfig | undefined) => Promise<Observer>;
  readonly #compiled = new Map<string, Promise<Observer>>();
  #letters = 0;

  constructor(compile: (config: ResolvedConfig | undefined) => Promise<Observer>) {
    this.#compile = compile;
  }

  of(config: ResolvedConfig | undefined): Promise<Observer> {
    const key = rulesKeyOf(config);
    const known = this.#compiled.get(key);
    if (known) return known;
    const letters = lettersOf(config);
    if (this.#letters + letters > maxCompiledLetters) {
      this.#compiled.clear();
      this.#letters = 0;
    }
    this.#letters += letters;
    const observer = this.#compile(config);
    this.#compiled.set(key, observer);
    // What cannot be compiled now, since a module cannot be read, is tried again with the next object.
    observer.catch(() => {
      if (this.#compiled.get(key) !== observer) return;
      this.#compiled.delete(key);
      this.#letters -= letters;
    });
    return observer;
  }
}

/** Letters of rules as JSON. */
const lettersOf = ({ feedbackRules = [], conditionRules = [] }: ResolvedConfig = {}): number =>
  JSON.stringify([feedbackRules, conditionRules]).length;

/** Names the rules that observe an object; empty if there are none. */
export const rulesKeyOf = ({ feedbackRules, conditionRules }: ResolvedConfig = {}): string =>
  [
    feedbackRules && `feedback ${settingsDigest(feedbackRules)}`,
    conditionRules && `conditions ${settingsDigest(conditionRules)}`,
  ]
    .filter(Boolean)
    .join(' ');

/** The same of an object of a work with limits: rules of which others may be left out in a larger or smaller work are others. */
export function limitedRulesKeyOf(config: ResolvedConfig = {}, { reports }: Pick<ReportLimits, 'reports'>): string {
  const key = rulesKeyOf(config);
  return mayReportMore(config, reports) ? `${key} first ${reports}` : key;
}

function mayReportMore({ feedbackRules = [], conditionRules = [] }: ResolvedConfig, reports: number): boolean {
  if (conditionRules.length > reports) return true;
  let values = 0;
  for (const { type, jsonPaths = [] } of feedbackRules) {
    // At least one, so that this ends soon for any rules.
    values += type === 'WellKnownStatus' ? mostWellKnown : Math.max(1, jsonPaths.length);
    if (values > reports) return true;
  }
  return false;
}

const mostWellKnown = Math.max(...Object.values(wellKnownPaths).map(({ length }) => length));

const update: ManifestUpdateStrategy = { type: 'Update' };

/** How a manifest is written. */
export const strategyOf = (config: ResolvedConfig | undefined): ManifestUpdateStrategy =>
  config?.updateStrategy ?? update;
