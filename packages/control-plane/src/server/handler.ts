import type { Logger } from '@flotilla/kube';
import type { ApiStatus } from '@flotilla/kube/errors';
import type { Aggregator } from '../aggregation/aggregator.ts';
import { refusal } from '../authz/refusal.ts';
import type { Authorizer } from '../contracts/authorizer.ts';
import type { Backend } from '../contracts/backend.ts';
import type { Call, Representation } from '../contracts/call.ts';
import { type ApiHandler, type ApiRequest, type ApiResponse, isWhole } from '../contracts/exchange.ts';
import type { Authenticator, PathHandler, VerbHandler } from '../contracts/handlers.ts';
import { hasSubresource, type ResourceInfo } from '../contracts/resource-info.ts';
import type { UpgradeOutcome } from '../contracts/upgrade.ts';
import { anonymousUser, type UserInfo } from '../contracts/user-info.ts';
import {
  badRequest,
  methodNotAllowed,
  notFound,
  pathMethodNotAllowed,
  pathNotFound,
  statusOf,
} from '../errors/api-errors.ts';
import type { PodStreams } from '../kubelets/pod-streams.ts';
import { type RequestHold, type RequestLimits, unlimited } from '../limits/request-limits.ts';
import { negotiate } from '../requests/accept.ts';
import { type RequestInfo, type ResourceRequest, requestInfo } from '../requests/request-info.ts';
import { encode, encodeOutcome, type TableMaker } from './encode.ts';
import { pageNotFound, resourceNotFound } from './page-not-found.ts';
import { withWarnings } from './warning-header.ts';

export interface HandlerOptions {
  readonly backend: Backend;
  readonly authenticate: Authenticator;
  /** Another identity, if the request asks for one and may. */
  readonly impersonate: (request: ApiRequest, user: UserInfo) => UserInfo;
  readonly authorizer: Authorizer;
  /** Passes on what other API servers serve. Absent: nothing is. */
  readonly aggregator?: Aggregator;
  readonly paths: readonly PathHandler[];
  /** Asked in order: special subresources and virtual kinds first, the generic verbs last. */
  readonly verbs: readonly VerbHandler[];
  readonly toTable: TableMaker;
  /** Streams of pods; without, there are none. */
  readonly podStreams?: PodStreams;
  readonly limits: RequestLimits;
  readonly log: Logger;
}

const openPaths = new Set(['/healthz', '/livez', '/readyz']);

/**
 * Health is served to anonymous requests, whatever the roles are and whatever others hold. Its body is not read, and its answer is a few
 * lines: it holds no more than a refusal would.
 */
const isOpen = (info: RequestInfo, path: string): boolean => info.kind === 'path' && openPaths.has(path);

/** One request after authorization. */
interface Admitted {
  readonly request: ApiRequest;
  readonly user: UserInfo;
  readonly info: RequestInfo;
  readonly hold: RequestHold;
  readonly warnings: string[];
}

/** One request: authenticate, parse, authorize, read the body, run the verb, encode the response. */
export function createHandler(options: HandlerOptions): ApiHandler {
  return async (request) => {
    const warnings: string[] = [];
    try {
      const { user, info, hold } = await admit(options, request);
      authorize(options, info, user, request.path);
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      // What may change something is refused before it does: whose answers are not read gets no more of them.
      if (!isRead) hold.answer(0);
      const answer = await serve(options, { request, user, info, hold, warnings });
      if (isWhole(answer.body)) hold[isRead ? 'answer' : 'doneAnswer'](Buffer.byteLength(answer.body));
      return withWarnings(answer, warnings);
    } catch (error) {
      const status = statusOf(error);
      if ((status.code ?? 500) >= 500) options.log.error('a request failed', { path: request.path, error });
      return withWarnings(refusalOf(status, request), warnings);
    }
  };
}

/** One request for another protocol: a stream of a pod, or one that another API server has. */
export function createUpgradeHandler(options: HandlerOptions): (request: ApiRequest) => Promise<UpgradeOutcome> {
  return async (request) => {
    try {
      const { user, info } = await admit(options, request);
      const stream = options.podStreams?.find(info);
      // A command in a pod needs more than the right to read it, whatever the method.
      authorize(options, stream ? { ...info, verb: 'create' } : info, user, request.path);
      if (stream) return await stream(request);
      const remote = options.aggregator?.find(request.path);
      if (!remote) throw badRequest('you must not specify an upgrade here: no other API server serves this path');
      return await remote.upgrade(request, user);
    } catch (error) {
      return { switched: false, answer: refusalOf(statusOf(error), request) };
    }
  };
}

/** A Status as a response; one with `retryAfterSeconds` has the Retry-After header too. */
function refusalOf(status: ApiStatus, request: ApiRequest): ApiResponse {
  const answer = encode(status.code ?? 500, status, { encoding: errorEncoding(request) });
  const { retryAfterSeconds } = status.details ?? {};
  return retryAfterSeconds
    ? { ...answer, headers: { ...answer.headers, 'retry-after': String(retryAfterSeconds) } }
    : answer;
}

/** A refusal is written in the form that was asked for, and in JSON if that cannot be. */
function errorEncoding({ headers }: ApiRequest): Representation['encoding'] {
  try {
    return negotiate(headers.accept).encoding;
  } catch {
    return 'json';
  }
}

/** Who sends a request, in whose name, and what it may hold. */
async function admit(
  { authenticate, impersonate, limits }: HandlerOptions,
  request: ApiRequest,
): Promise<Pick<Admitted, 'user' | 'info' | 'hold'>> {
  const sender = request.user ?? (await authenticate(request));
  const user = impersonate(request, sender);
  const info = requestInfo(request.method, request.path, request.query);
  if (isOpen(info, request.path)) return { user, info, hold: unlimited };
  const hold = limits(request, user, info);
  if (sender.name !== anonymousUser) request.onAdmitted?.(sender.name);
  return { user, info, hold };
}

function authorize({ authorizer }: HandlerOptions, info: RequestInfo, user: UserInfo, path: string): void {
  if (isOpen(info, path)) return;
  const asked =
    info.kind === 'resource' && info.selectedName !== undefined ? { ...info, name: info.selectedName } : info;
  const decision = authorizer.authorize(user, asked);
  if (!decision.allowed) throw refusal(user, asked, decision.reason);
}

async function serve(options: HandlerOptions, admitted: Admitted): Promise<ApiResponse> {
  const { request, user, info, hold } = admitted;
  const remote = options.aggregator?.find(request.path);
  if (remote) return remote.forward(request, user, await request.readBody(hold.body));
  return info.kind === 'path' ? servePath(options, request, user) : serveResource(options, admitted, info);
}

async function servePath({ paths }: HandlerOptions, request: ApiRequest, user: UserInfo): Promise<ApiResponse> {
  for (const handle of paths) {
    const answer = await handle(request, user);
    if (answer) return answer;
  }
  return pageNotFound();
}

async function serveResource(
  options: HandlerOptions,
  { request, user, hold, warnings }: Admitted,
  info: ResourceRequest,
): Promise<ApiResponse> {
  const resource = options.backend.registry.lookup(info.group, info.version, info.resource);
  if (!resource || isMisplaced(resource, info) || info.remainder !== undefined)
    return resourceNotFound(options.backend.registry, info.group);
  const representation = negotiate(request.headers.accept, { isWatch: info.verb === 'watch', source: resource.source });
  if (request.method === 'HEAD') throw pathMethodNotAllowed();
  const call: Call = {
    info: resource,
    query: request.query,
    headers: request.headers,
    body: await request.readBody(hold.body),
    maxYamlBytes: options.backend.limits.maxYamlBytes,
    user,
    representation,
    signal: request.signal,
    hold: info.verb === 'watch' ? hold.parts() : () => true,
    requireVerb: (verb) => authorize(options, { ...info, verb }, user, request.path),
    warn: (message) => void warnings.push(message),
    ...(info.namespace !== undefined && { namespace: info.namespace }),
    ...(info.name !== undefined && { name: info.name }),
    ...(info.subresource !== undefined && { subresource: info.subresource }),
  };
  if (resource.deprecationWarning !== undefined) call.warn(resource.deprecationWarning);
  for (const handle of options.verbs) {
    const outcome = await handle(options.backend, info.verb, call);
    if (!outcome) continue;
    const answer = encodeOutcome(outcome, resource, representation, request.query, options.toTable);
    return outcome.kind === 'watch' && !isWhole(answer.body)
      ? { ...answer, body: counted(answer.body, hold.parts()) }
      : answer;
  }
  if (info.subresource !== undefined && !hasSubresource(resource, info.subresource)) {
    throw resource.source === 'custom' ? notFound(resource, info.name ?? '') : pathNotFound();
  }
  if (resource.source === 'custom' && info.name === undefined) throw badRequest('name must be provided');
  throw resource.source === 'custom' ? methodNotAllowed(resource, info.verb) : pathMethodNotAllowed();
}

/** Ends a watch whose reader leaves more than its user may hold; its client resumes. */
async function* counted(lines: AsyncIterable<string | Uint8Array>, hold: (bytes: number) => boolean) {
  for await (const line of lines) {
    if (!hold(Buffer.byteLength(line))) return;
    yield line;
    hold(0);
  }
}

/** A namespaced object is addressed within its namespace, a cluster-wide one without. */
function isMisplaced(resource: ResourceInfo, info: ResourceRequest): boolean {
  if (resource.storage === '/namespaces') return info.namespace !== undefined && info.namespace !== info.name;
  if (!resource.namespaced) return info.namespace !== undefined;
  return info.namespace === undefined && info.name !== undefined;
}
