import { mergePatch } from '@flotilla/schema';
import { NEVER } from 'rxjs';
import type { KubeRequest, KubeResponse, KubeStream, Transport } from '../client/transport.ts';
import type { Clock } from '../clock/clock.ts';
import { KubeError } from '../errors/kube-error.ts';
import { joinKey } from '../meta/keys.ts';
import { matchesLabels, parseLabelSelector } from '../meta/labels.ts';
import { FakeStorage, StorageError, type StorageEvent, type StoredObject } from './fake-storage.ts';
import { FakeStream } from './fake-stream.ts';

interface Target {
  collection: string;
  namespace?: string;
  name?: string;
  subresource?: string;
}

/** `/api/v1/namespaces/a/pods/b/status?x=y` taken apart. */
function parsePath(path: string): Target {
  const parts = path.split('/').slice(1).map(decodeURIComponent);
  const base = parts.splice(0, parts[0] === 'api' ? 2 : 3).join('/');
  // `/namespaces/a` is the namespace itself; `/namespaces/a/pods` is a collection in it.
  const namespaced = parts[0] === 'namespaces' && parts.length > 2 && parts[2] !== 'status';
  const [, namespace] = namespaced ? parts.splice(0, 2) : [];
  const [plural = '', name, ...rest] = parts;
  return { collection: `${base}/${plural}`, namespace, name, subresource: rest.join('/') || undefined };
}

/**
 * An API server in memory, as a transport: any kind, with conflicts, merge patches, status, finalizers, selectors and
 * watches. For specs of what talks to an API server; it knows no schemas, no server-side apply and no paging.
 */
export class FakeApi implements Transport {
  readonly accessChanged = NEVER;
  readonly storage: FakeStorage;
  /** Every request, in order. */
  readonly requests: KubeRequest[] = [];
  /** Watches that are open. */
  readonly streams = new Set<FakeStream>();
  /** Runs before each request is served; throw to make it fail, await to make it slow. */
  before: (request: KubeRequest) => void | Promise<void> = () => {};
  /** Runs after a request was served and before its answer goes out; throw to lose the answer. */
  after: (request: KubeRequest) => void | Promise<void> = () => {};

  constructor(clock: Pick<Clock, 'now'>) {
    this.storage = new FakeStorage(clock);
  }

  /** Requests as `METHOD /path`, without their queries. */
  get calls(): string[] {
    return this.requests.map(({ method, path }) => `${method} ${path.split('?')[0]}`);
  }

  async request(request: KubeRequest): Promise<KubeResponse> {
    await this.#enter(request);
    const [path = '', search = ''] = request.path.split('?');
    try {
      const answer = this.#serve(request, parsePath(path), new URLSearchParams(search));
      await this.after(request);
      return { status: 200, headers: {}, body: JSON.stringify(answer) };
    } catch (error) {
      throw error instanceof StorageError ? refusal(request, error, parsePath(path)) : error;
    }
  }

  async stream(request: KubeRequest): Promise<KubeStream> {
    await this.#enter(request);
    const [path = '', search = ''] = request.path.split('?');
    const target = parsePath(path);
    const parameters = new URLSearchParams(search);
    const stream = new FakeStream(request.signal);
    const matches = selection(target, parameters);
    const isList = parameters.get('sendInitialEvents') === 'true';
    if (isList) this.#sendList(stream, this.storage.list(target.collection).filter(matches));
    const from = isList ? this.storage.resourceVersion : Number(parameters.get('resourceVersion') ?? 0);
    const stop = this.storage.watch(from, (event: StorageEvent) => {
      if (event.collection !== target.collection || !matches(event.object)) return;
      stream.push(`${JSON.stringify({ type: event.type, object: event.object })}\n`);
    });
    const close = stream.close.bind(stream);
    stream.close = () => {
      stop();
      this.streams.delete(stream);
      close();
    };
    this.streams.add(stream);
    return stream;
  }

  async close(): Promise<void> {
    for (const stream of this.streams) stream.close();
  }

  /** A streaming list: all objects as added, and a bookmark at the end. */
  #sendList(stream: FakeStream, objects: readonly StoredObject[]): void {
    for (const object of objects) stream.push(`${JSON.stringify({ type: 'ADDED', object })}\n`);
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    const metadata = { resourceVersion: String(this.storage.resourceVersion), annotations };
    stream.push(`${JSON.stringify({ type: 'BOOKMARK', object: { metadata } })}\n`);
  }

  async #enter(request: KubeRequest): Promise<void> {
    this.requests.push(request);
    await this.before(request);
    if (request.signal?.aborted) throw new KubeError('Canceled', 'the request was canceled');
  }

  #serve(request: KubeRequest, target: Target, parameters: URLSearchParams): unknown {
    const { collection, namespace, name, subresource } = target;
    if (subresource !== undefined && subresource !== 'status') {
      throw new StorageError(404, 'NotFound', 'the server could not find the requested resource');
    }
    const part = subresource === 'status' ? 'status' : 'object';
    const key = name === undefined ? '' : joinKey(namespace, name);
    switch (request.method) {
      case 'GET':
        if (name !== undefined) return this.storage.get(collection, key);
        return {
          metadata: { resourceVersion: String(this.storage.resourceVersion) },
          items: this.storage.list(collection).filter(selection(target, parameters)),
        };
      case 'POST':
        return this.storage.create(collection, bodyOf(request));
      case 'PUT':
        return this.storage.replace(collection, key, bodyOf(request), part);
      case 'PATCH': {
        if (request.headers?.['content-type'] !== 'application/merge-patch+json') {
          throw new StorageError(415, 'UnsupportedMediaType', 'only merge patches are served');
        }
        const current = this.storage.get(collection, key);
        const patch = bodyOf(request);
        const next = mergePatch({ ...current, metadata: { ...current.metadata, resourceVersion: undefined } }, patch);
        return this.storage.replace(collection, key, toObject(next), part);
      }
      case 'DELETE':
        return this.storage.delete(collection, key, toPreconditions(request));
      default:
        throw new StorageError(405, 'MethodNotAllowed', `${request.method} is not served`);
    }
  }
}

const toObject = (value: unknown): StoredObject => ({ ...(typeof value === 'object' ? value : {}) });

const bodyOf = (request: KubeRequest): StoredObject => toObject(JSON.parse(String(request.body)));

function toPreconditions(request: KubeRequest): { uid?: string; resourceVersion?: string } {
  return request.body === undefined ? {} : { ...Object(bodyOf(request).preconditions) };
}

function selection({ namespace }: Target, parameters: URLSearchParams): (object: StoredObject) => boolean {
  const labels = parseLabelSelector(parameters.get('labelSelector') ?? '');
  const fieldName = /(?:^|,)metadata\.name=([^,]+)/.exec(parameters.get('fieldSelector') ?? '')?.[1];
  return ({ metadata }) =>
    (namespace === undefined || metadata?.namespace === namespace) &&
    (fieldName === undefined || metadata?.name === fieldName) &&
    matchesLabels(labels, metadata?.labels);
}

function refusal(request: KubeRequest, error: StorageError, { name }: Target): KubeError {
  const { status, reason, message } = error;
  // Like the real server: details name the object only if the refusal is about it.
  const details = name !== undefined && message.includes(name) ? { name } : {};
  const body = { kind: 'Status', status: 'Failure', code: status, reason, message, details };
  return KubeError.fromResponse(request, status, JSON.stringify(body), {});
}
