import type { JsonObject, KubeObject } from '@flotilla/schema';
import { createSchemaValidator, type FieldError, type SchemaValidator } from '@flotilla/schema/validation';
import type { ObjectSchemas } from '../contracts/object-schemas.ts';
import { apiVersionOf, type ResourceInfo } from '../contracts/resource-info.ts';
import type { StructuralSchema } from '../contracts/structural-schema.ts';
import type { FieldCause } from '../errors/api-errors.ts';
import { decodeMetadata } from './built-in/decode.ts';
import { Field } from './field.ts';
import { validateMetadata, validateMetadataUpdate } from './metadata.ts';
import { dnsSubdomain } from './names.ts';
import { scaleCauses } from './scale-values.ts';

/** After one of these the rules of a schema are not run: they could not rely on the types. */
const keepsRulesFromRunning: ReadonlySet<FieldCause['reason']> = new Set<FieldCause['reason']>([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);
const rulesDidNotRun: FieldCause = {
  reason: 'FieldValueInvalid',
  field: '<nil>',
  message:
    'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
};

/** Whether a schema or a part of it has rules in CEL. */
const hasRules = (schema: StructuralSchema): boolean =>
  (schema['x-kubernetes-validations'] ?? []).length > 0 ||
  [
    ...Object.values(schema.properties ?? {}),
    ...[schema.items, schema.additionalProperties].filter((one) => typeof one === 'object'),
    ...(schema.allOf ?? []),
  ].some(hasRules);

/** Custom resources, by the schemas of their definitions. A version whose definition changes is another ResourceInfo. */
export function createCustomObjects(): ObjectSchemas {
  const validators = new WeakMap<ResourceInfo, SchemaValidator>();
  const validatorOf = (info: ResourceInfo): SchemaValidator => {
    const known = validators.get(info);
    if (known) return known;
    const made = createSchemaValidator({
      apiVersion: apiVersionOf(info),
      kind: info.kind,
      namespaced: info.namespaced,
      schema: info.schema,
    });
    validators.set(info, made);
    return made;
  };

  return {
    prune(info, object) {
      const { object: known, unknownFields } = validatorOf(info).pruneUnknown(object);
      const { metadata, unknown } = decodeMetadata((known.metadata ?? {}) as JsonObject, info);
      return { object: { ...known, metadata }, unknown: [...unknown, ...unknownFields] };
    },
    applyDefaults: (info, object) => validatorOf(info).applyDefaults(object),
    validate: async (info, object, old, owner) =>
      causesOf(info, object, old, await validatorOf(info).validateContentApart(object, old, { owner })),
  };
}

/** The causes of the metadata, of the content and of what belongs to both. */
function causesOf(
  info: ResourceInfo,
  object: KubeObject,
  old: KubeObject | undefined,
  errors: readonly FieldError[],
): FieldCause[] {
  const causes: FieldCause[] = [];
  const root = Field.root(object as JsonObject, causes);
  if (old) validateMetadataUpdate(root.at('metadata'));
  else validateMetadata(root.at('metadata'), { namespaced: info.namespaced, name: dnsSubdomain });
  for (const { reason, cause } of errors) causes.push({ reason, ...cause });
  const unchecked = causes.some(({ reason }) => keepsRulesFromRunning.has(reason)) && hasRules(info.schema);
  if (info.scalePaths) causes.push(...scaleCauses(object as JsonObject, info.scalePaths));
  if (unchecked) causes.push(rulesDidNotRun);
  return causes;
}
