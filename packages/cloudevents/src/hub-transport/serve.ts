import { joinKey } from '@flotilla/kube';
import type { KubeRequest } from '@flotilla/kube/transport';
import { type KubeObject, mergePatch } from '@flotilla/schema';
import type { HubKind } from './hub-kind.ts';
import type { Replica } from './replica.ts';
import { bodyOf, type RequestTarget, refusal } from './request-target.ts';
import { selection } from './selection.ts';

/** How long a request may take that does not say so. */
export const defaultDeadlineMs = 30_000;

/** As for an API server: whatever is there now. */
const anyVersion = '0';

/** Answers a request for one kind, as an API server would. */
export async function serve(request: KubeRequest, target: RequestTarget, kind: HubKind): Promise<object> {
  switch (request.method) {
    case 'GET':
      return target.name === undefined ? list(request, target, kind) : (await find(request, target, kind)).object;
    case 'POST':
      if (!kind.create || target.name !== undefined) throw refusal('MethodNotAllowed', request);
      return kind.create(bodyOf(request), request);
    case 'PUT':
      return write(request, target, kind, () => bodyOf(request));
    case 'PATCH':
      if (request.headers?.['content-type'] !== 'application/merge-patch+json') {
        throw refusal('UnsupportedMediaType', request);
      }
      return write(request, target, kind, (current) => mergePatch(current, bodyOf(request)) as KubeObject);
    default:
      throw refusal('MethodNotAllowed', request);
  }
}

/** The replica of a kind once it is complete. */
async function replicaOf(request: KubeRequest, kind: HubKind) {
  const synced = kind.synced?.();
  if (!synced) throw refusal('MethodNotAllowed', request);
  await synced.ready(request.signal, request.deadlineMs ?? defaultDeadlineMs);
  return synced.replica;
}

async function list(request: KubeRequest, target: RequestTarget, kind: HubKind): Promise<object> {
  const replica = await replicaOf(request, kind);
  const isSelected = selection(target);
  return {
    apiVersion: kind.apiVersion,
    kind: `${kind.kind}List`,
    metadata: { resourceVersion: replica.revision },
    items: replica
      .list()
      .map(({ object }) => object)
      .filter(isSelected),
  };
}

async function find(request: KubeRequest, target: RequestTarget, kind: HubKind) {
  return entryOf(await replicaOf(request, kind), request, target);
}

function entryOf(replica: Replica<KubeObject>, request: KubeRequest, { namespace, name = '' }: RequestTarget) {
  const entry = replica.get(joinKey(namespace, name));
  if (!entry) throw refusal('NotFound', request, name);
  return entry;
}

async function write(
  request: KubeRequest,
  target: RequestTarget,
  kind: HubKind,
  change: (current: KubeObject) => KubeObject,
): Promise<object> {
  if (!kind.write) throw refusal('MethodNotAllowed', request);
  const replica = await replicaOf(request, kind);
  // From here on nothing is awaited: of two writes from one read the second finds what the first wrote.
  const entry = entryOf(replica, request, target);
  const current = entry.object.metadata?.resourceVersion;
  // A merge patch without a version is for whatever is there.
  const next = change({ ...entry.object, metadata: { ...entry.object.metadata, resourceVersion: undefined } });
  const expected = next.metadata?.resourceVersion;
  if (expected !== undefined && expected !== current && expected !== anyVersion) throw refusal('Conflict', request);
  if (target.subresource !== undefined && target.subresource !== 'status') throw refusal('MethodNotAllowed', request);
  const { signal, deadlineMs = defaultDeadlineMs } = request;
  return kind.write({ entry, next, subresource: target.subresource, signal, deadlineMs });
}
