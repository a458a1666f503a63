import type { ValidatingAdmissionPolicy } from '@flotilla/kube/kinds';
import { type Cel, CelCompileError, type CelObjectType } from '@flotilla/rules/cel';
import type { Registry, ResourceInfo } from '../../contracts/resource-info.ts';
import type { StructuralSchema } from '../../contracts/structural-schema.ts';
import { createExpressionChecker } from '../../policy-expressions/expressions.ts';
import { resolveBuiltIn } from '../../schema/built-in.ts';

/** What may be wrong with an expression for objects of a kind. */
export interface ExpressionWarning {
  readonly fieldRef: string;
  readonly warning: string;
}

type Spec = NonNullable<ValidatingAdmissionPolicy['spec']>;

/** How many kinds a policy is checked against. */
const maxKinds = 10;

/** Deeper fields are not checked: some schemas contain themselves. */
const deepest = 8;

const objectMeta: StructuralSchema = { $ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' };

/** Finds fields that the kinds of a policy do not have. Only validations and their messages are checked, as in the API server. */
export function typeWarnings(
  { spec = {} }: ValidatingAdmissionPolicy,
  registry: Pick<Registry, 'lookup'>,
): ExpressionWarning[] {
  const kinds = kindsOf(spec, registry);
  const checkers = kinds.map((info) => ({ info, cel: checkerFor(spec, info) }));
  return (spec.validations ?? []).flatMap(({ expression, messageExpression }, index) =>
    Object.entries({ expression, messageExpression }).flatMap(([field, text]) => {
      const errors = checkers.flatMap(({ info, cel }) => errorsOf(cel, info, text ?? ''));
      if (errors.length === 0) return [];
      return [{ fieldRef: `spec.validations[${index}].${field}`, warning: errors.join('\n') }];
    }),
  );
}

/** The kinds that the rules name; wildcards name none. */
function kindsOf({ matchConstraints }: Spec, registry: Pick<Registry, 'lookup'>): ResourceInfo[] {
  const found = (matchConstraints?.resourceRules ?? []).flatMap(
    ({ apiGroups = [], apiVersions = [], resources = [] }) =>
      apiGroups.flatMap((group) =>
        apiVersions.flatMap((version) => resources.flatMap((plural) => registry.lookup(group, version, plural) ?? [])),
      ),
  );
  return [...new Set(found)].slice(0, maxKinds);
}

/** Knows the fields of the objects, and the variables of the policy with the types that follow from them. */
function checkerFor({ paramKind, variables = [] }: Spec, info: ResourceInfo): Cel {
  const scope = { params: paramKind !== undefined, authorizer: true, object: objectType(info) };
  const types: Record<string, string> = {};
  for (const { name, expression } of variables) {
    types[name] = typeIn(createExpressionChecker({ ...scope, variables: { ...types } }), expression);
  }
  return createExpressionChecker({ ...scope, variables: types });
}

function typeIn(cel: Cel, expression: string): string {
  try {
    const { type } = cel.compile(expression);
    return type.includes('$') ? 'dyn' : type;
  } catch (error) {
    if (error instanceof CelCompileError) return 'dyn';
    throw error;
  }
}

function errorsOf(cel: Cel, { group, version, kind }: ResourceInfo, text: string): string[] {
  try {
    if (text !== '') cel.compile(text);
    return [];
  } catch (error) {
    if (!(error instanceof CelCompileError)) throw error;
    // The library has neither null for object types nor two variables of one type, so only missing fields are reported.
    return error.message.includes('undefined field') ? [`${group}/${version}, Kind=${kind}: ${error.display}\n`] : [];
  }
}

function objectType({ schema, source }: ResourceInfo): string | CelObjectType {
  const whole = resolveBuiltIn(schema);
  const properties = source === 'custom' ? { ...whole.properties, metadata: objectMeta } : whole.properties;
  return typeOf({ ...whole, ...(properties && { properties }) }, 0);
}

const scalars: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'int',
  number: 'double',
  boolean: 'bool',
};

function typeOf(given: StructuralSchema, depth: number): string | CelObjectType {
  const schema = resolveBuiltIn(given);
  const { type = '', properties, additionalProperties, items } = schema;
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] || schema['x-kubernetes-int-or-string'];
  if (isOpen || depth > deepest || schema.format !== undefined) return 'dyn';
  if (type === 'array') return `list<${items ? scalarOf(items) : 'dyn'}>`;
  if (properties) {
    return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, typeOf(field, depth + 1)]));
  }
  if (typeof additionalProperties === 'object') return `map<string, ${scalarOf(additionalProperties)}>`;
  return scalars[type] ?? 'dyn';
}

/** Items of lists and maps are checked as far as they are scalars. */
const scalarOf = (given: StructuralSchema): string => {
  const { type = '', format } = resolveBuiltIn(given);
  return format === undefined ? (scalars[type] ?? 'dyn') : 'dyn';
};
