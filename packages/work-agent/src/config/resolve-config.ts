import type {
  ManifestConditionRule,
  ManifestConfigOption,
  ManifestFeedbackRule,
  ManifestUpdateStrategy,
} from '@flotilla/api-types';
import { type Comparisons, ConfigIndex, type ConfiguredResource } from './config-index.ts';

/** What the configs of a work say about one manifest. At least one of the three kinds of rules is there. */
export interface ResolvedConfig {
  readonly feedbackRules?: readonly ManifestFeedbackRule[];
  readonly conditionRules?: readonly ManifestConditionRule[];
  readonly updateStrategy?: ManifestUpdateStrategy;
  /** Whether the user wants values to be watched. All objects are watched anyway; kept because it is a part of the API. */
  readonly feedbackScrapeType?: 'Poll' | 'Watch';
}

/** Works in a cache do not change: each list is indexed once. */
const indexes = new WeakMap<readonly ManifestConfigOption[], ConfigIndex>();

function indexOf(configs: readonly ManifestConfigOption[] = none): ConfigIndex {
  const index = indexes.get(configs) ?? new ConfigIndex(configs);
  indexes.set(configs, index);
  return index;
}
const none: readonly ManifestConfigOption[] = [];

/** What `resolveManifestConfig` compares. */
export const comparisonsFor = (
  configs: readonly ManifestConfigOption[] | undefined,
  meta: ConfiguredResource,
): Comparisons => indexOf(configs).comparisonsFor(meta);

/**
 * Each kind of rules comes from the first matching config that has it, so that one manifest may be served by several configs.
 * Undefined when no config that matches has any rules.
 */
export function resolveManifestConfig(
  configs: readonly ManifestConfigOption[] | undefined,
  meta: ConfiguredResource,
): ResolvedConfig | undefined {
  const matching = indexOf(configs).matching(meta);
  const feedbackRules = matching.find((config) => config.feedbackRules?.length)?.feedbackRules;
  const conditionRules = matching.find((config) => config.conditionRules?.length)?.conditionRules;
  const updateStrategy = matching.find((config) => config.updateStrategy)?.updateStrategy;
  if (!feedbackRules && !conditionRules && !updateStrategy) return undefined;
  const feedbackScrapeType = matching.at(-1)?.feedbackScrapeType;
  return {
    ...(feedbackRules && { feedbackRules }),
    ...(conditionRules && { conditionRules }),
    ...(updateStrategy && { updateStrategy }),
    ...(feedbackScrapeType && { feedbackScrapeType }),
  };
}
