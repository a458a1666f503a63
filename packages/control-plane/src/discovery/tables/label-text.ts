import type { LabelSelector } from '@flotilla/kube/meta';

/** Labels as one text, in order; `<none>` if there are none. */
export const labelsText = (labels: Readonly<Record<string, string>> | undefined): string => {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? '<none>' : pairs.sort().join(',');
};

/** A selector as one text, its requirements by key; empty for one that is not set or selects all objects. */
export function selectorText(selector: LabelSelector | undefined): string {
  const labels = Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => [key, `${key}=${value}`] as const);
  const expressions = (selector?.matchExpressions ?? []).map(
    ({ key, operator, values = [] }) => [key, requirementText(key, operator, values)] as const,
  );
  return [...labels, ...expressions]
    .sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0))
    .map(([, text]) => text)
    .join(',');
}

const requirementText = (key: string, operator: string, values: readonly string[]): string => {
  const set = `(${values.toSorted().join(',')})`;
  if (operator === 'In') return `${key} in ${set}`;
  if (operator === 'NotIn') return `${key} notin ${set}`;
  return operator === 'Exists' ? key : `!${key}`;
};
