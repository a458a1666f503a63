import { isRecord, type Json, type JsonObject, type KubeObject } from '@flotilla/schema';
import type { ObjectSchemas } from '../../contracts/object-schemas.ts';
import type { ResourceInfo } from '../../contracts/resource-info.ts';
import type { FieldCause } from '../../errors/api-errors.ts';
import { Field } from '../field.ts';
import { validateMetadata } from '../metadata.ts';
import { decodeBuiltIn } from './decode.ts';
import { builtInDefaults } from './defaults/index.ts';
import { builtInValidators, nameCheckOf } from './validation/index.ts';
import { rbacCauses } from './validation/rbac.ts';
import { omitZeroValues, writeZeroValues } from './zero-values.ts';

const rbacGroup = 'rbac.authorization.k8s.io';

/** What the server does to objects of the kinds it knows from the start. */
export const builtInObjects: ObjectSchemas = {
  prune(info, object) {
    return decodeBuiltIn(info.schema, toJson(object), info);
  },

  applyDefaults(info, object) {
    const draft = asObject(omitZeroValues(toJson(object), info.schema));
    builtInDefaults[info.storage]?.(draft);
    return asObject(writeZeroValues(draft, info.schema));
  },

  validate(info, object, old) {
    const causes: FieldCause[] = [];
    const field = Field.root(toJson(object), causes);
    validateMetadata(field.at('metadata'), {
      namespaced: info.namespaced,
      name: nameCheckOf(info.storage),
      qualifiedFinalizers: info.group !== 'admissionregistration.k8s.io',
    });
    validateKind(info, field, old);
    return info.group === rbacGroup ? [...causes, ...rbacCauses(info.kind, object, old)] : causes;
  },
};

function validateKind(info: ResourceInfo, field: Field, old: KubeObject | undefined): void {
  const validator = builtInValidators[info.storage];
  if (!validator) return;
  if (old) validator(field, Field.root(toJson(old), []));
  else validator(field);
}

/** Objects in storage and from bodies are JSON; their static type says less. */
const toJson = (object: KubeObject): JsonObject => object as JsonObject;

const asObject = (value: Json): JsonObject => (isRecord(value) ? value : {});
