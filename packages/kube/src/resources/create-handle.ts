import type { KubeList, KubeObject, ResourceType } from '@flotilla/schema';
import { isAbsence } from '../errors/absence.ts';
import { KubeError } from '../errors/kube-error.ts';
import { apiVersionOf } from '../meta/api-version.ts';
import { createCalls, type HandleContext } from './calls.ts';
import { type FetchPage, listAll, listPages } from './list-pages.ts';
import { query } from './query.ts';
import type { Representation } from './representation.ts';
import type { ListOptions, ResourceHandle, WatchOptions } from './resource-handle.ts';
import { resourcePaths } from './resource-path.ts';
import { createSubresourceHandle, subresourceSuffix } from './subresource.ts';
import { watchEvents } from './watch-events.ts';

/** The calls on one kind over a transport. */
export function createHandle<T extends KubeObject>(
  context: HandleContext,
  type: ResourceType<T>,
  representation: Representation<T>,
): ResourceHandle<T> {
  const { objectHeaders, listHeaders, complete } = representation;
  const calls = createCalls(context, objectHeaders);
  const paths = resourcePaths(type);
  const apiVersion = apiVersionOf(type);

  /** CRDs refuse objects without a kind. */
  const named = (object: T): T =>
    object.apiVersion && object.kind ? object : { ...object, apiVersion, kind: type.kind };

  const refuseUnlessWhole = (verb: string) => {
    if (representation.whole) return;
    throw new KubeError(
      'MethodNotAllowed',
      `${verb} of ${type.kind} by its metadata alone would drop its other fields`,
      {
        hint: 'Use patch, or the handle of the whole kind.',
      },
    );
  };

  const fetchPage = (options: ListOptions): FetchPage<T> => {
    const { labelSelector, fieldSelector, resourceVersion, resourceVersionMatch } = options;
    const path = paths.collection(options.namespace);
    return async (page) => {
      // A continue token carries its own resource version; the server refuses both together.
      const from = page.continue ? { continue: page.continue } : { resourceVersion, resourceVersionMatch };
      const parameters = query({ labelSelector, fieldSelector, limit: page.limit || undefined, ...from });
      const list = await calls.read<KubeList<T>>(path, parameters, listHeaders, options);
      if (!list.metadata || (list.items && !Array.isArray(list.items))) {
        throw new KubeError('Decode', `GET ${path} answered ${list.kind ?? 'an object'} that is not a list`);
      }
      list.items = list.items ? list.items.map(complete) : [];
      return list;
    };
  };

  const openWatch = async (options: WatchOptions) => {
    const { signal, deadlineMs, priority, sendInitialEvents } = options;
    const parameters = query({
      watch: true,
      allowWatchBookmarks: true,
      labelSelector: options.labelSelector,
      fieldSelector: options.fieldSelector,
      resourceVersion: options.resourceVersion,
      sendInitialEvents,
      // The server requires this word with initial events and refuses it without.
      resourceVersionMatch: sendInitialEvents ? 'NotOlderThan' : undefined,
      timeoutSeconds: options.timeoutSeconds,
    });
    const path = paths.collection(options.namespace) + parameters;
    const request = { method: 'GET', path, headers: objectHeaders, signal, deadlineMs, priority } as const;
    const stream = await context.transport.stream(request);
    if (stream.headers.warning !== undefined) context.onWarning(stream.headers.warning);
    options.onOpen?.({ monitored: stream.monitored });
    return stream;
  };

  const get: ResourceHandle<T>['get'] = async (key, options) =>
    complete(await calls.read<T>(paths.object(key), '', objectHeaders, options));

  return {
    type,
    get,
    async find(key, options) {
      try {
        return await get(key, options);
      } catch (error) {
        if (isAbsence(error)) return undefined;
        throw error;
      }
    },
    list: async (options = {}) => listAll(fetchPage(options), options),
    pages: (options = {}) => listPages(fetchPage(options), options),
    watch: (options) => watchEvents<T>(() => openWatch(options), `watch of ${type.plural}`, complete),
    async create(object, options) {
      refuseUnlessWhole('create');
      return complete(await calls.post<T>(paths.creation(object), named(object), options));
    },
    async replace(object, options) {
      refuseUnlessWhole('replace');
      return complete(await calls.put<T>(paths.objectOf(object), named(object), options));
    },
    async patch(key, patch, options) {
      return complete(await calls.patch<T>(paths.object(key), patch, options));
    },
    async apply(object, options) {
      return complete(await calls.apply<T>(paths.objectOf(object), named(object), options));
    },
    async delete(key, options) {
      try {
        await calls.remove(paths.object(key), '', options);
      } catch (error) {
        if (!KubeError.is(error, 'NotFound')) throw error;
      }
    },
    async deleteCollection(list, options) {
      if (type.namespaced && list.namespace === undefined) {
        throw new KubeError(
          'BadRequest',
          `deleteCollection of ${type.kind} needs a namespace: the server has no call for all`,
        );
      }
      const { labelSelector, fieldSelector } = list;
      const parameters = query({ labelSelector, fieldSelector });
      await calls.remove(paths.collection(list.namespace), parameters, { ...list, ...options });
    },
    status: createSubresourceHandle<T>(calls, paths, 'status', objectHeaders, {
      toServer: named,
      fromServer: complete,
    }),
    subresource: (name) =>
      createSubresourceHandle(calls, paths, name, objectHeaders, {
        toServer: (object) => object,
        fromServer: (object) => object,
      }),
    async createSubresource(name, key, object, options) {
      return calls.post(paths.object(key) + subresourceSuffix(name), object, options);
    },
  };
}
