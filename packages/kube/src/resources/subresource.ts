import type { KubeObject } from '@flotilla/schema';
import type { Calls } from './calls.ts';
import type { SubresourceHandle } from './resource-handle.ts';
import { pathSegment, type ResourcePaths } from './resource-path.ts';

/** How objects of a subresource differ from those of its resource on the way out and in. */
export interface SubresourceShape<S extends KubeObject> {
  toServer(object: S): S;
  fromServer(object: S): S;
}

/** The suffix of a subresource's path: `status`, or `proxy/metrics`. */
export const subresourceSuffix = (name: string): string =>
  name
    .split('/')
    .map((part) => `/${pathSegment('subresource', part)}`)
    .join('');

/** The calls on one subresource of a kind. */
export function createSubresourceHandle<S extends KubeObject>(
  calls: Calls,
  paths: ResourcePaths,
  name: string,
  headers: Readonly<Record<string, string>>,
  { toServer, fromServer }: SubresourceShape<S>,
): SubresourceHandle<S> {
  const suffix = subresourceSuffix(name);
  return {
    async get(key, options) {
      return fromServer(await calls.read<S>(paths.object(key) + suffix, '', headers, options));
    },
    async replace(object, options) {
      return fromServer(await calls.put<S>(paths.objectOf(object) + suffix, toServer(object), options));
    },
    async patch(key, patch, options) {
      return fromServer(await calls.patch<S>(paths.object(key) + suffix, patch, options));
    },
    async apply(object, options) {
      return fromServer(await calls.apply<S>(paths.objectOf(object) + suffix, toServer(object), options));
    },
  };
}
