/** Pure helpers for what all objects have: times, labels, owners, equality, versions, and JSON whose numbers stay exact. */

export { parseJson, stringifyJson } from '@flotilla/schema';
export { apiVersionOf } from './api-version.ts';
export { formatDuration, parseDuration } from './duration.ts';
export { semanticEqual } from './equality.ts';
export {
  formatLabelSelector,
  type LabelRequirement,
  type LabelSelector,
  matchesLabels,
  meetsRequirement,
  parseLabelSelector,
  requirementsOf,
} from './labels.ts';
export { controllerOf, isControlledBy, isOwnedBy, setOwner } from './owner-references.ts';
export { parseToRequirements, type RequirementChecks } from './parse-to-requirements.ts';
export { isNotNewer } from './resource-version.ts';
export { formatMicroTime, formatTime, parseTime } from './time.ts';
