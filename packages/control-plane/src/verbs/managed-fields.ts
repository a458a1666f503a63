import { apiVersionOf } from '@flotilla/kube';
import {
  createFieldManager,
  type FieldManager,
  FieldSet,
  fieldPath,
  objectType,
  type ServedVersions,
  zeroObject,
} from '../patch/index.ts';
import { builtInDefinitions, resolveBuiltIn } from '../schema/built-in.ts';
import { hasSubresource, type ResourceInfo } from '../schema/resource-info.ts';
import type { Backend, Call } from './backend.ts';
import type { AnyObject } from './prepare.ts';
import type { WriteOptions } from './write-options.ts';

const objectMeta = { $ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' };

/** Field managers are made once for each version and subresource of a resource, until the resource itself changes. */
const managers = new WeakMap<ResourceInfo, Map<string, FieldManager>>();

export function fieldManagerOf({ registry }: Backend, { info, subresource }: Call): FieldManager {
  const own = managers.get(info) ?? new Map<string, FieldManager>();
  managers.set(info, own);
  const known = own.get(subresource ?? '');
  if (known) return known;
  const made = createFieldManager({
    apiVersion: apiVersionOf(info),
    kind: info.kind,
    versions: servedVersions(registry.all(), info, subresource),
    empty: info.source === 'built-in' ? emptyBuiltIn(info) : { apiVersion: apiVersionOf(info), kind: info.kind },
    ...(subresource !== undefined && { subresource }),
  });
  own.set(subresource ?? '', made);
  return made;
}

const emptyBuiltIn = (info: ResourceInfo): object => ({
  ...zeroObject(resolveBuiltIn(info.schema), resolveBuiltIn),
  apiVersion: apiVersionOf(info),
  kind: info.kind,
});

function servedVersions(
  all: readonly ResourceInfo[],
  info: ResourceInfo,
  subresource: string | undefined,
): ServedVersions {
  const same = all.filter((other) => other.storage === info.storage);
  return new Map(
    same.map((version) => [
      apiVersionOf(version),
      {
        type: objectType(version.schema, {
          resolve: resolveBuiltIn,
          objectMeta: builtInDefinitions[objectMeta.$ref] ?? {},
        }),
        ...resetFields(version, subresource),
      },
    ]),
  );
}

/** The main resource owns nothing in the status, and the status nothing elsewhere. */
function resetFields(info: ResourceInfo, subresource: string | undefined): { resetFields?: FieldSet } {
  if (!hasSubresource(info, 'status')) return {};
  if (subresource === undefined) return { resetFields: FieldSet.of(fieldPath('status')) };
  if (subresource !== 'status') return {};
  const others = info.source === 'custom' ? [fieldPath('spec'), fieldPath('metadata')] : [fieldPath('spec')];
  return { resetFields: FieldSet.of(...others) };
}

/** The object with managedFields that say who wrote what in this create or update. */
export function trackUpdate(
  backend: Backend,
  call: Call,
  live: AnyObject | undefined,
  next: AnyObject,
  options: WriteOptions,
): AnyObject {
  return fieldManagerOf(backend, call).update({
    next,
    manager: options.fieldManager,
    time: new Date(backend.clock.now()),
    ...(live && { live }),
  });
}
