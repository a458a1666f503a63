import type {
  ManifestConditionRule,
  ManifestConfigOption,
  ManifestFeedbackRule,
  ManifestResourceMeta,
  ManifestUpdateStrategy,
} from '@flotilla/api-types';
import { matchesWildcard } from './wildcard.ts';

/** What the configs of a work say about one manifest. At least one of the three kinds of rules is there. */
export interface ResolvedConfig {
  readonly feedbackRules?: readonly ManifestFeedbackRule[];
  readonly conditionRules?: readonly ManifestConditionRule[];
  readonly updateStrategy?: ManifestUpdateStrategy;
  /** Whether the user wants values to be watched. All objects are watched anyway; kept because it is a part of the API. */
  readonly feedbackScrapeType?: 'Poll' | 'Watch';
}

/** The manifest whose config is resolved. */
export type ConfiguredResource = Pick<ManifestResourceMeta, 'group' | 'resource' | 'namespace' | 'name'>;

/**
 * Each kind of rules comes from the first matching config that has it, so that one manifest may be served by several configs.
 * Undefined when no config that matches has any rules.
 */
export function resolveManifestConfig(
  configs: readonly ManifestConfigOption[] | undefined,
  meta: ConfiguredResource,
): ResolvedConfig | undefined {
  const matching = (configs ?? []).filter(({ resourceIdentifier }) => identifies(resourceIdentifier, meta));
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

/** Only namespaces and names know wildcards. */
function identifies(identifier: ManifestConfigOption['resourceIdentifier'], meta: ConfiguredResource): boolean {
  return (
    (identifier.group ?? '') === (meta.group ?? '') &&
    identifier.resource === (meta.resource ?? '') &&
    matchesWildcard(identifier.namespace ?? '', meta.namespace ?? '') &&
    matchesWildcard(identifier.name, meta.name ?? '')
  );
}
