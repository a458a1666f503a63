import type { JsonObject } from '@flotilla/schema';
import type { Field } from '../../field.ts';

/** Whether labels are selected; an empty selector selects all objects. */
export function selects(selector: Field, labels: JsonObject): boolean {
  const wanted = Object.entries(selector.at('matchLabels').fields);
  if (!wanted.every(([key, value]) => labels[key] === value)) return false;
  return selector
    .at('matchExpressions')
    .items()
    .every((requirement) => {
      const value = labels[requirement.at('key').text];
      const listed = value !== undefined && requirement.at('values').list.includes(value);
      switch (requirement.at('operator').text) {
        case 'In':
          return listed;
        case 'NotIn':
          return !listed;
        case 'Exists':
          return value !== undefined;
        default:
          return value === undefined;
      }
    });
}

export const saysNothing = (selector: Field): boolean =>
  selector.at('matchLabels').names.length === 0 && selector.at('matchExpressions').list.length === 0;
