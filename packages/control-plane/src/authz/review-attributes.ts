import type { Attributes } from '../contracts/authorizer.ts';
import type { UserInfo } from '../contracts/user-info.ts';
import type { FieldCause } from '../errors/api-errors.ts';
import { parseFieldSelector } from '../requests/field-selector.ts';
import { parseQuerySelector } from '../requests/label-selector.ts';

interface SelectorAttributes {
  readonly rawSelector?: string;
  readonly requirements?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

interface ResourceAttributes {
  readonly verb?: string;
  readonly group?: string;
  readonly version?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly fieldSelector?: SelectorAttributes;
  readonly labelSelector?: SelectorAttributes;
}

/** The spec of the three access reviews; the one about oneself has no user. */
export interface AccessReviewSpec {
  readonly resourceAttributes?: ResourceAttributes;
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string };
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** What the review asks, as the authorizer wants it. */
export function attributesOf({ resourceAttributes, nonResourceAttributes }: AccessReviewSpec): Attributes {
  if (!resourceAttributes) {
    return { kind: 'path', verb: nonResourceAttributes?.verb ?? '', path: nonResourceAttributes?.path ?? '' };
  }
  const { verb = '', group = '', version, resource = '', subresource, namespace, name } = resourceAttributes;
  return {
    kind: 'resource',
    verb,
    group,
    version: version || '*',
    resource,
    ...(subresource && { subresource }),
    ...(namespace && { namespace }),
    ...(name && { name }),
  };
}

/** Whom the review asks about. */
export const reviewedUser = ({ user = '', uid, groups = [], extra }: AccessReviewSpec): UserInfo => ({
  name: user,
  groups,
  ...(uid && { uid }),
  ...(extra && { extra }),
});

/** The errors of a spec, in the order of the real server. With `aboutOthers` a user or group is required. */
export function specCauses(spec: AccessReviewSpec, aboutOthers: boolean): FieldCause[] {
  const { resourceAttributes, nonResourceAttributes, user, groups } = spec;
  const causes: FieldCause[] = [];
  if (resourceAttributes && nonResourceAttributes) {
    causes.push(
      invalid(
        'spec.nonResourceAttributes',
        goFields(nonResourceAttributes),
        'cannot be specified in combination with resourceAttributes',
      ),
    );
  }
  if (!resourceAttributes && !nonResourceAttributes) {
    const why = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
    causes.push(invalid('spec.resourceAttributes', null, why));
  }
  if (aboutOthers && !user && (groups ?? []).length === 0) {
    causes.push(invalid('spec.user', '', 'at least one of user or group must be specified'));
  }
  for (const field of ['fieldSelector', 'labelSelector'] as const) {
    const selector = resourceAttributes?.[field];
    if (selector) causes.push(...selectorCauses(selector, `spec.resourceAttributes.${field}`));
  }
  return causes;
}

/** Messages show the server's inner form of a value, whose fields are written in capitals. */
export const goFields = ({ path = '', verb = '' }: { readonly path?: string; readonly verb?: string }): object => ({
  Path: path,
  Verb: verb,
});

export const invalid = (field: string, value: unknown, why: string): FieldCause => ({
  reason: 'FieldValueInvalid',
  field,
  message: `Invalid value: ${JSON.stringify(value)}: ${why}`,
});

function selectorCauses({ rawSelector = '', requirements = [] }: SelectorAttributes, path: string): FieldCause[] {
  const causes: FieldCause[] = [];
  if (rawSelector !== '' && requirements.length > 0) {
    causes.push(invalid(`${path}.rawSelector`, rawSelector, 'may not specified at the same time as requirements'));
  }
  if (rawSelector === '' && requirements.length === 0) {
    causes.push({
      reason: 'FieldValueRequired',
      field: `${path}.requirements`,
      message: `Required value: when ${path} is specified, requirements or rawSelector is required`,
    });
  }
  requirements.forEach(({ operator, values = [] }, at) => {
    const field = `${path}.requirements[${at}].values`;
    if ((operator === 'In' || operator === 'NotIn') && values.length === 0) {
      causes.push({
        reason: 'FieldValueRequired',
        field,
        message: "Required value: must be specified when `operator` is 'In' or 'NotIn'",
      });
    }
    if ((operator === 'Exists' || operator === 'DoesNotExist') && values.length > 0) {
      causes.push({
        reason: 'FieldValueForbidden',
        field,
        message: "Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
      });
    }
  });
  return causes;
}

/** RBAC ignores selectors, but a review reports those that could not be parsed. */
export function selectorError({ resourceAttributes }: AccessReviewSpec): string | undefined {
  const { fieldSelector, labelSelector } = resourceAttributes ?? {};
  const errors = [
    ...errorsOf('fieldSelector', fieldSelector, isFieldSelector, isFieldRequirement),
    ...errorsOf('labelSelector', labelSelector, isLabelSelector, isLabelRequirement),
  ];
  return errors.length === 0 ? undefined : errors.join('; ');
}

type Requirement = NonNullable<SelectorAttributes['requirements']>[number];

function errorsOf(
  name: string,
  selector: SelectorAttributes | undefined,
  understandsText: (text: string) => boolean,
  understands: (requirement: Requirement) => boolean,
): string[] {
  if (!selector) return [];
  const { rawSelector = '', requirements = [] } = selector;
  const understood = requirements.filter(understands).length;
  const allWell =
    requirements.length > 0 ? understood === requirements.length : rawSelector === '' || understandsText(rawSelector);
  if (allWell) return [];
  return [`spec.resourceAttributes.${name} ${understood > 0 ? 'partially ignored' : 'ignored'} due to parse error`];
}

const isFieldRequirement = ({ operator, values = [] }: Requirement): boolean =>
  (operator === 'In' || operator === 'NotIn') && values.length === 1;

const isLabelRequirement = ({ operator, values = [] }: Requirement): boolean =>
  operator === 'In' || operator === 'NotIn'
    ? values.length > 0
    : (operator === 'Exists' || operator === 'DoesNotExist') && values.length === 0;

/** Whether a parser takes a text. */
const isParsedBy =
  (parse: (text: string) => unknown) =>
  (text: string): boolean => {
    try {
      parse(text);
      return true;
    } catch (error) {
      if (error instanceof SyntaxError) return false;
      throw error;
    }
  };

const isFieldSelector = isParsedBy(parseFieldSelector);
const isLabelSelector = isParsedBy(parseQuerySelector);
