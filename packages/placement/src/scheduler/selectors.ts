import { KubeError } from '@flotilla/kube';
import { type LabelSelector, meetsRequirement, requirementsOf } from '@flotilla/kube/meta';

/** Whether labels, or claims, match. */
export type SelectorTest = (values: Readonly<Record<string, string>>) => boolean;

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
