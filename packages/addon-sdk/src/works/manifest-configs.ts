import type { ManifestConfigOption, ManifestFeedbackRule } from '@flotilla/api-types';

/** Adds the settings of an author to generated ones: feedback is united, and the author's update strategy wins. */
export function mergeManifestConfigs(
  generated: readonly ManifestConfigOption[],
  authored: readonly ManifestConfigOption[],
): ManifestConfigOption[] {
  const merged = [...generated];
  for (const config of authored) {
    const at = merged.findIndex(({ resourceIdentifier }) =>
      sameIdentifier(resourceIdentifier, config.resourceIdentifier),
    );
    const present = merged[at];
    if (!present) merged.push(config);
    else merged[at] = mergeConfig(present, config);
  }
  return merged;
}

function mergeConfig(present: ManifestConfigOption, added: ManifestConfigOption): ManifestConfigOption {
  const { feedbackRules: _, resourceIdentifier: _id, ...settings } = added;
  const feedbackRules = mergeRules(present.feedbackRules ?? [], added.feedbackRules ?? []);
  return { ...present, ...settings, ...(feedbackRules.length > 0 && { feedbackRules }) };
}

/** One rule for well-known values is enough, and a name is reported once. */
function mergeRules(
  present: readonly ManifestFeedbackRule[],
  added: readonly ManifestFeedbackRule[],
): ManifestFeedbackRule[] {
  const rules = [...present];
  const names = new Set(present.flatMap(({ jsonPaths = [] }) => jsonPaths.map(({ name }) => name)));
  for (const rule of added) {
    if (rule.type === 'WellKnownStatus') {
      if (!rules.some(({ type }) => type === 'WellKnownStatus')) rules.push(rule);
      continue;
    }
    const jsonPaths = (rule.jsonPaths ?? []).filter(({ name }) => {
      const isNew = !names.has(name);
      names.add(name);
      return isNew;
    });
    if (jsonPaths.length > 0) rules.push({ ...rule, jsonPaths });
  }
  return rules;
}

type Identifier = ManifestConfigOption['resourceIdentifier'];

const sameIdentifier = (a: Identifier, b: Identifier): boolean =>
  (a.group ?? '') === (b.group ?? '') &&
  a.resource === b.resource &&
  (a.namespace ?? '') === (b.namespace ?? '') &&
  a.name === b.name;
