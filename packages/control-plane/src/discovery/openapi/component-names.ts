import type { ResourceInfo } from '../../contracts/resource-info.ts';
import { builtInDefinitions } from '../../schema/built-in.ts';

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** Components that most operations and kinds refer to. */
export const shared = {
  objectMeta: `${meta}.ObjectMeta`,
  listMeta: `${meta}.ListMeta`,
  status: `${meta}.Status`,
  deleteOptions: `${meta}.DeleteOptions`,
  patch: `${meta}.Patch`,
  resourceList: `${meta}.APIResourceList`,
} as const;

export const componentRef = (name: string): { $ref: string } => ({ $ref: `#/components/schemas/${name}` });

/** A kind's component: built-in ones keep their name, custom ones are called by their group backwards, as `com.example.v1.Widget`. */
export function componentName({ schema, group, version, kind }: ResourceInfo): string {
  return schema.$ref ?? `${group.split('.').reverse().join('.')}.${version}.${kind}`;
}

export const listComponentName = (info: ResourceInfo): string =>
  componentName(info).replace(/[^.]+$/, () => info.listKind);

/** The component of a built-in kind that is only the body of a subresource, such as Scale or Eviction. */
export function builtInComponentName(group: string, version: string, kind: string): string | undefined {
  const name = `io.k8s.api.${group.split('.', 1)[0] || 'core'}.${version}.${kind}`;
  return Object.hasOwn(builtInDefinitions, name) ? name : undefined;
}
