import type { KubeList, KubeObject, ResourceType } from '@flotilla/schema';
import { isAbsence } from '../errors/absence.ts';
import { KubeError } from '../errors/kube-error.ts';
import { apiVersionOf } from '../meta/api-version.ts';
import { type Calls, createCalls, type HandleContext } from './calls.ts';
import { type FetchPage, listAll, listPages } from './list-pages.ts';
import { query } from './query.ts';
import type { Representation } from './representation.ts';
import type { ListOptions, ResourceHandle, WatchOptions } from './resource-handle.ts';
import { resourcePaths } from './resource-path.ts';
import { createSubresourceHandle, subresourceSuffix } from './subresource.ts';
import { watchEvents } from './watch-events.ts';

/** What the calls on one kind are made with. */
interface Kind<T extends KubeObject> {
  readonly context: HandleContext;
  readonly type: ResourceType<T>;
  readonly representation: Representation<T>;
  readonly calls: Calls;
  readonly paths: ReturnType<typeof resourcePaths>;
  /** CRDs refuse objects without a kind. */
  named(object: T): T;
}

/** The calls on one kind over a transport. */
export function createHandle<T extends KubeObject>(
  context: HandleContext,
  type: ResourceType<T>,
  representation: Representation<T>,
): ResourceHandle<T> {
  const apiVersion = apiVersionOf(type);
  const kind: Kind<T> = {
    context,
    type,
    representation,
    calls: createCalls(context, representation.objectHeaders),
    paths: resourcePaths(type),
    named: (object) => (object.apiVersion && object.kind ? object : { ...object, apiVersion, kind: type.kind }),
  };
  return { type, ...readingCalls(kind), ...writingCalls(kind), ...deletingCalls(kind), ...subresourceCalls(kind) };
}

type Part<T extends KubeObject, Name extends keyof ResourceHandle<T>> = Pick<ResourceHandle<T>, Name>;

function readingCalls<T extends KubeObject>(kind: Kind<T>): Part<T, 'get' | 'find' | 'list' | 'pages' | 'watch'> {
  const { type, calls, paths } = kind;
  const { objectHeaders, complete } = kind.representation;
  const get: ResourceHandle<T>['get'] = async (key, options) =>
    complete(await calls.read<T>(paths.object(key), '', objectHeaders, options));
  return {
    get,
    async find(key, options) {
      try {
        return await get(key, options);
      } catch (error) {
        if (isAbsence(error)) return undefined;
        throw error;
      }
    },
    list: async (options = {}) => listAll(fetchPage(kind, options), options),
    pages: (options = {}) => listPages(fetchPage(kind, options), options),
    watch: (options) => watchEvents<T>(() => openWatch(kind, options), `watch of ${type.plural}`, complete),
  };
}

function fetchPage<T extends KubeObject>(
  { calls, paths, representation: { listHeaders, complete } }: Kind<T>,
  options: ListOptions,
): FetchPage<T> {
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
}

async function openWatch<T extends KubeObject>(
  { context, paths, representation: { objectHeaders } }: Kind<T>,
  options: WatchOptions,
) {
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
}

function writingCalls<T extends KubeObject>(kind: Kind<T>): Part<T, 'create' | 'replace' | 'patch' | 'apply'> {
  const { calls, paths, named } = kind;
  const { complete } = kind.representation;
  return {
    async create(object, options) {
      refuseUnlessWhole(kind, 'create');
      return complete(await calls.post<T>(paths.creation(object), named(object), options));
    },
    async replace(object, options) {
      refuseUnlessWhole(kind, 'replace');
      return complete(await calls.put<T>(paths.objectOf(object), named(object), options));
    },
    async patch(key, patch, options) {
      return complete(await calls.patch<T>(paths.object(key), patch, options));
    },
    async apply(object, options) {
      return complete(await calls.apply<T>(paths.objectOf(object), named(object), options));
    },
  };
}

function refuseUnlessWhole<T extends KubeObject>({ type, representation }: Kind<T>, verb: string): void {
  if (representation.whole) return;
  throw new KubeError('MethodNotAllowed', `${verb} of ${type.kind} by its metadata alone would drop its other fields`, {
    hint: 'Use patch, or the handle of the whole kind.',
  });
}

function deletingCalls<T extends KubeObject>({ type, calls, paths }: Kind<T>): Part<T, 'delete' | 'deleteCollection'> {
  return {
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
  };
}

function subresourceCalls<T extends KubeObject>({
  calls,
  paths,
  named,
  representation: { objectHeaders, complete },
}: Kind<T>): Part<T, 'status' | 'subresource' | 'createSubresource'> {
  return {
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
