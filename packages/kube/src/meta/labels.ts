import { isLabelKey, isLabelValue } from '@flotilla/schema';
import { KubeError } from '../errors/kube-error.ts';

/** One requirement on one label. */
export interface LabelRequirement {
  key: string;
  operator: string;
  values?: readonly string[];
}

/** metav1.LabelSelector: all labels and all expressions must match. */
export interface LabelSelector {
  matchLabels?: Readonly<Record<string, string>>;
  matchExpressions?: readonly LabelRequirement[];
}

const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist'];

const refuse = (message: string): KubeError =>
  new KubeError('BadRequest', message, {
    hint: 'A selector is a list such as `app=web,tier in (front,back),env!=test,owner,!canary`.',
  });

/** Refuses a requirement that the API server would refuse. */
function check({ key, operator, values = [] }: LabelRequirement): LabelRequirement {
  if (!isLabelKey(key)) throw refuse(`"${key}" is not a label key`);
  if (!operators.includes(operator))
    throw refuse(`operator "${operator}" of label "${key}" is not one of ${operators.join(', ')}`);
  for (const value of values) {
    if (!isLabelValue(value)) throw refuse(`"${value}" is not a value of label "${key}"`);
  }
  const takesValues = operator === 'In' || operator === 'NotIn';
  if (takesValues !== values.length > 0) {
    throw refuse(`operator ${operator} of label "${key}" needs ${takesValues ? 'at least one value' : 'no values'}`);
  }
  return { key, operator, values };
}

/** A selector as one list of requirements, checked; labels first. */
export function requirementsOf(selector: LabelSelector): LabelRequirement[] {
  const labels = Object.entries(selector.matchLabels ?? {});
  return [
    ...labels.map(([key, value]) => check({ key, operator: 'In', values: [value] })),
    ...(selector.matchExpressions ?? []).map(check),
  ];
}

/** Whether labels fulfil one requirement. An absent label fulfils `NotIn`. */
export function meetsRequirement(
  { key, operator, values = [] }: LabelRequirement,
  labels: Readonly<Record<string, string>> = {},
): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      throw refuse(`operator "${operator}" of label "${key}" is not one of ${operators.join(', ')}`);
  }
}

/** Whether labels match a selector: an empty one matches all labels, an absent one none. */
export const matchesLabels = (
  selector: LabelSelector | undefined,
  labels: Readonly<Record<string, string>> | undefined,
): boolean =>
  selector !== undefined && requirementsOf(selector).every((requirement) => meetsRequirement(requirement, labels));

function formatRequirement({ key, operator, values = [] }: LabelRequirement): string {
  switch (operator) {
    case 'In':
      return values.length === 1 ? `${key}=${values[0]}` : `${key} in (${values.join(',')})`;
    case 'NotIn':
      return values.length === 1 ? `${key}!=${values[0]}` : `${key} notin (${values.join(',')})`;
    case 'Exists':
      return key;
    default:
      return `!${key}`;
  }
}

/** A selector as the `labelSelector` of a list or watch. */
export const formatLabelSelector = (selector: LabelSelector): string =>
  requirementsOf(selector).map(formatRequirement).join(',');

const setForm = /^(\S+)\s+(in|notin)\s*\(([^()]*)\)$/;
const equalityForm = /^([^\s!=]+)\s*(==|=|!=)\s*(\S*)$/;

function parseRequirement(text: string): LabelRequirement {
  const set = setForm.exec(text);
  if (set) {
    const [, key = '', word, list = ''] = set;
    return check({
      key,
      operator: word === 'in' ? 'In' : 'NotIn',
      values: list.split(',').map((value) => value.trim()),
    });
  }
  const equality = equalityForm.exec(text);
  if (equality) {
    const [, key = '', sign, value = ''] = equality;
    return check({ key, operator: sign === '!=' ? 'NotIn' : 'In', values: [value] });
  }
  if (text.startsWith('!')) return check({ key: text.slice(1).trim(), operator: 'DoesNotExist' });
  return check({ key: text, operator: 'Exists' });
}

/** The selector of a text form, as kubectl and the API server read it (without `<` and `>`). */
export function parseLabelSelector(text: string): LabelSelector {
  if (text.trim() === '') return {};
  // Commas inside parentheses belong to a set of values.
  const parts = text.split(/,(?![^(]*\))/);
  return { matchExpressions: parts.map((part) => parseRequirement(part.trim())) };
}
