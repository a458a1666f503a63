import { type LabelRequirement, meetsRequirement, parseToRequirements } from '@flotilla/kube/meta';
import { goQuote } from '../errors/go-text.ts';
import { labelValue, qualifiedName } from '../schema/names.ts';

type Labels = Readonly<Record<string, string>>;

/** The label selector of a query, with the checks and messages of the API server. Throws SyntaxError. */
export function parseQuerySelector(text: string): (labels: Labels) => boolean {
  const requirements = parseToRequirements(text, { checkKey, checkRequirement });
  return (labels) => requirements.every((requirement) => meetsRequirement(requirement, labels));
}

function checkKey(key: string): void {
  const wrong = qualifiedName(key);
  if (wrong.length > 0) throw new SyntaxError(`<nil>: Invalid value: ${goQuote(key)}: ${wrong.join('; ')}`);
}

function checkRequirement({ operator, values = [] }: LabelRequirement): void {
  const [value = ''] = values;
  if ((operator === 'Gt' || operator === 'Lt') && !/^[+-]?\d+$/.test(value)) {
    throw new SyntaxError(
      `values[0]: Invalid value: ${goQuote(value)}: for 'Gt', 'Lt' operators, the value must be an integer`,
    );
  }
  for (const [index, one] of values.entries()) {
    const wrong = labelValue(one);
    if (wrong.length > 0) {
      throw new SyntaxError(`values[${index}]: Invalid value: ${goQuote(one)}: ${wrong.join('; ')}`);
    }
  }
}
