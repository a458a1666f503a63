import { apiVersionOf } from '@flotilla/kube/meta';
import type { JsonObject } from '@flotilla/schema';
import type { Backend } from '../contracts/backend.ts';
import type { Call } from '../contracts/call.ts';
import { hasSubresource, type ResourceInfo } from '../contracts/resource-info.ts';
import {
  createFieldManager,
  type FieldManager,
  objectType,
  resetFieldsOf,
  type ServedVersions,
} from '../patch/index.ts';
import { writeZeroValues } from '../schema/built-in/zero-values.ts';
import { builtInDefinitions, resolveBuiltIn } from '../schema/built-in.ts';
import type { AnyObject } from './prepare.ts';
import type { WriteOptions } from './write-options.ts';

const objectMeta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

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

/** Some fields are written even when nothing is in them; a create owns only what differs from that. */
const emptyBuiltIn = (info: ResourceInfo): object => ({
  // A list that was never made is null in Go.
  ...(JSON.parse(JSON.stringify(writeZeroValues({}, info.schema)), (_, value) =>
    Array.isArray(value) ? null : value,
  ) as JsonObject),
  apiVersion: apiVersionOf(info),
  kind: info.kind,
});

/** Events are stored in one place for two groups, but the managers of the two groups are separate. */
function servedVersions(
  all: readonly ResourceInfo[],
  info: ResourceInfo,
  subresource: string | undefined,
): ServedVersions {
  const same = all.filter(({ storage, group }) => storage === info.storage && group === info.group);
  return new Map(
    same.map((version) => {
      const resetFields = resetFieldsOf({ ...version, status: hasSubresource(version, 'status'), subresource });
      const type = objectType(version.schema, {
        resolve: resolveBuiltIn,
        ...(version.source === 'custom' && { objectMeta: builtInDefinitions[objectMeta] ?? {} }),
      });
      return [apiVersionOf(version), { type, ...(resetFields && { resetFields }) }];
    }),
  );
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
