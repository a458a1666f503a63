import type { KubeList, KubeObject, ResourceType } from '@flotilla/schema';
import { KubeError } from '../errors/kube-error.ts';
import { apiVersionOf } from '../meta/api-version.ts';
import type { Patch, ResourceHandle, SubresourceHandle, WatchEvent } from './resource-handle.ts';

/** How objects of a kind in the version that the code knows become objects of the one that the server has, and back. */
export interface VersionConversion<T extends KubeObject, S extends KubeObject> {
  readonly type: ResourceType<T>;
  readonly served: ResourceType<S>;
  /** Both are pure, and convert field by field: what is not there is not made up. */
  fromServed(object: S): T;
  toServed(object: T): S;
}

/** The calls on a kind in one version, sent to the server in another. Merge patches are converted too; other forms are refused. */
export function convertedHandle<T extends KubeObject, S extends KubeObject>(
  inner: ResourceHandle<S>,
  { type, fromServed, toServed }: VersionConversion<T, S>,
): ResourceHandle<T> {
  const from = (object: S): T => ({ ...fromServed(object), apiVersion: apiVersionOf(type), kind: type.kind });
  const to = (object: T): S => ({ ...toServed(object), apiVersion: apiVersionOf(inner.type), kind: inner.type.kind });

  const refuse = (what: string): KubeError =>
    new KubeError('MethodNotAllowed', `${what} of ${type.kind} cannot be converted to ${apiVersionOf(inner.type)}`, {
      hint: 'Use a merge patch, or replace the object.',
    });

  /** A merge patch is a part of an object, and converted as one; fields that conversion adds to it are not meant. */
  const convertPatch = (patch: Patch): Patch => {
    if (patch.type !== 'merge') throw refuse(`a ${patch.type} patch`);
    const converted = Object.entries(to(patch.body as T)).filter(([field]) => field in patch.body);
    return { type: 'merge', body: Object.fromEntries(converted) };
  };

  const convertList = (list: KubeList<S>): KubeList<T> => ({ ...list, items: list.items.map(from) });

  const convertEvent = (event: WatchEvent<S>): WatchEvent<T> =>
    event.type === 'BOOKMARK' ? event : { type: event.type, object: from(event.object) };

  const status: SubresourceHandle<T> = {
    get: async (key, options) => from(await inner.status.get(key, options)),
    replace: async (object, options) => from(await inner.status.replace(to(object), options)),
    patch: async (key, patch, options) => from(await inner.status.patch(key, convertPatch(patch), options)),
    apply: async () => {
      throw refuse('an apply');
    },
  };

  return {
    type,
    get: async (key, options) => from(await inner.get(key, options)),
    async find(key, options) {
      const found = await inner.find(key, options);
      return found && from(found);
    },
    list: async (options) => convertList(await inner.list(options)),
    async *pages(options) {
      for await (const page of inner.pages(options)) yield convertList(page);
    },
    async *watch(options) {
      for await (const event of inner.watch(options)) yield convertEvent(event);
    },
    create: async (object, options) => from(await inner.create(to(object), options)),
    replace: async (object, options) => from(await inner.replace(to(object), options)),
    patch: async (key, patch, options) => from(await inner.patch(key, convertPatch(patch), options)),
    apply: async () => {
      throw refuse('an apply');
    },
    delete: (key, options) => inner.delete(key, options),
    deleteCollection: (list, options) => inner.deleteCollection(list, options),
    status,
    subresource: (name) => inner.subresource(name),
    createSubresource: (name, key, object, options) => inner.createSubresource(name, key, object, options),
  };
}
