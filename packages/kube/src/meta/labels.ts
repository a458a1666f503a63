import { isLabelKey, isLabelValue } from '@flotilla/schema';
import { KubeError } from '../errors/kube-error.ts';
import { parseToRequirements } from './parse-to-requirements.ts';

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

function checkKey(key: string): void {
  if (!isLabelKey(key)) throw refuse(`"${key}" is not a label key`);
}

/** Refuses a requirement that the API server would refuse. */
function check({ key, operator, values = [] }: LabelRequirement): LabelRequirement {
  checkKey(key);
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

/** Whether labels fulfil one requirement. An absent label fulfils `NotIn`; `Gt` and `Lt` compare integers. */
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
    case 'Gt':
      return isInteger(value) && Number(value) > Number(values[0]);
    case 'Lt':
      return isInteger(value) && Number(value) < Number(values[0]);
    default:
      throw refuse(`operator "${operator}" of label "${key}" is not one of ${operators.join(', ')}`);
  }
}

const isInteger = (value: string | undefined): value is string => value !== undefined && /^-?\d+$/.test(value);

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

/** The selector of a text form, as kubectl and the API server read it. A LabelSelector has no `<` and `>`. */
export function parseLabelSelector(text: string): LabelSelector {
  const requirements = parseChecked(text);
  return requirements.length === 0 ? {} : { matchExpressions: requirements };
}

function parseChecked(text: string): LabelRequirement[] {
  try {
    return parseToRequirements(text, { checkKey, checkRequirement: check });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw refuse(`"${text}" is not a label selector: ${error.message}`);
  }
}
