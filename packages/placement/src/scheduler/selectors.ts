import { KubeError } from '@flotilla/kube';
import { type LabelRequirement, type LabelSelector, meetsRequirement, requirementsOf } from '@flotilla/kube/meta';

/** Whether labels, or claims, match. */
export type SelectorTest = (values: Readonly<Record<string, string>>) => boolean;

/**
 * Labels as `key=value`, of which all that matches a valid selector has one: those of the requirement that has the fewest values.
 * Undefined if no requirement asks for values.
 */
export function requiredLabels(selector: LabelSelector): readonly string[] | undefined {
  let fewest: LabelRequirement | undefined;
  for (const requirement of requirementsOf(selector)) {
    if (requirement.operator !== 'In') continue;
    if (!fewest || (requirement.values ?? []).length < (fewest.values ?? []).length) fewest = requirement;
  }
  const { key, values = [] } = fewest ?? {};
  return key === undefined ? undefined : values.map((value) => labelText(key, value));
}

/** A label as one text. Neither a key nor a value has an equals sign. */
export const labelText = (key: string, value: string): string => `${key}=${value}`;

const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist'];

/** The test of a label or claim selector; an empty one matches all clusters. Throws with Kubernetes' words if it is not valid. */
export function compileSelector(selector: LabelSelector): SelectorTest {
  for (const { operator } of selector.matchExpressions ?? []) {
    if (!operators.includes(operator)) throw new Error(`"${operator}" is not a valid label selector operator`);
  }
  try {
    const requirements = requirementsOf(selector);
    return (values) => requirements.every((requirement) => meetsRequirement(requirement, values));
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    throw new Error(error.message.replace(/^BadRequest: /, ''), { cause: error });
  }
}
