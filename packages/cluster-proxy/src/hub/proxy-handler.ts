import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Duplex, pipeline } from 'node:stream';
import { ClusterProxyApi } from '@flotilla/api-types';
import { type Clock, type KubeClient, KubeError, type Logger } from '@flotilla/kube';
import { reviewAccess } from '@flotilla/kube/kinds';
import type { HttpMethod } from '@flotilla/kube/transport';
import { joinStreams } from '../member/join-streams.ts';
import type { HubUser, MemberRequest } from '../member/member.ts';
import { headerList, headerRecord } from '../member/passed-headers.ts';
import { refuseRedirect } from '../member/redirect.policy.ts';
import { statusOfError } from '../member/status-body.ts';
import { audit } from './audit.ts';
import type { Caller } from './callers.ts';
import type { Members } from './members.ts';
import { sendStatus, switchProtocols, writeAnswer, writeStatus } from './raw-answers.ts';
import type { RequestCounter } from './request-counter.ts';

/** What requests of users are answered with. */
export interface ProxyDeps {
  readonly members: Pick<Members, 'find'>;
  readonly counter: RequestCounter;
  /** Of the hub, to ask what users may do. */
  readonly client: KubeClient;
  readonly clock: Clock;
  /** Gets a line for each request. */
  readonly auditLog: Logger;
}

/** A request of a user to a cluster. */
export interface ProxiedRequest {
  readonly caller: Caller;
  readonly cluster: string;
  readonly path: string;
}

const methods: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] satisfies HttpMethod[];

/** Passes a request on to its cluster, and the answer back as it comes. */
export async function proxyRequest(
  deps: ProxyDeps,
  { caller, cluster, path }: ProxiedRequest,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { user } = caller;
  const method = request.method ?? 'GET';
  const recorded = record(deps, caller, { cluster, user, method, path });
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  let release: () => void = () => undefined;
  try {
    release = deps.counter.take(cluster, user.name);
    const member = deps.members.find(cluster, caller.isReplica);
    const answer = await member.request({
      ...memberRequest(caller, path, request, gone.signal),
      ...(hasBody(request) && { body: request }),
    });
    refuseRedirect(answer);
    response.writeHead(answer.status, headerRecord(answer.headers));
    response.flushHeaders();
    pipeline(answer.body, response, (error) => {
      release();
      recorded(answer.status, isExpected(error) ? undefined : error);
    });
  } catch (error) {
    release();
    recorded(statusOfError(error).code, error);
    sendStatus(response, statusOfError(error));
  }
}

/** The same for a request that asks for another protocol. Whoever may only read cannot open a shell. */
export async function proxyUpgrade(
  deps: ProxyDeps,
  { caller, cluster, path }: ProxiedRequest,
  request: IncomingMessage,
  socket: Duplex,
): Promise<void> {
  const { user } = caller;
  const method = request.method ?? 'GET';
  const protocol = request.headers.upgrade ?? '';
  const recorded = record(deps, caller, { cluster, user, method, path, protocol });
  const gone = new AbortController();
  socket.once('close', () => gone.abort());
  let release: () => void = () => undefined;
  try {
    release = deps.counter.take(cluster, user.name);
    if (!caller.isReplica) await requireCreate(deps.client, user, cluster);
    const member = deps.members.find(cluster, caller.isReplica);
    const answer = await member.upgrade({ ...memberRequest(caller, path, request, gone.signal), protocol });
    if (!answer.switched) refuseRedirect(answer);
    socket.once('close', () => {
      release();
      recorded(answer.switched ? 101 : answer.status);
    });
    if (!answer.switched) return writeAnswer(socket, answer);
    switchProtocols(socket, protocol, answer.headers);
    joinStreams(socket, answer.socket);
  } catch (error) {
    release();
    recorded(statusOfError(error).code, error);
    writeStatus(socket, statusOfError(error));
  }
}

/** Of a request that another replica passes on, that replica has the line. */
const record = (
  { auditLog, clock }: ProxyDeps,
  { isReplica }: Caller,
  request: Parameters<typeof audit>[2],
): ReturnType<typeof audit> => (isReplica ? () => undefined : audit(auditLog, clock, request));

function memberRequest({ user }: Caller, path: string, request: IncomingMessage, signal: AbortSignal): MemberRequest {
  const { method = 'GET' } = request;
  if (!methods.includes(method)) {
    throw new KubeError('MethodNotAllowed', `the method ${method} is not one of ${methods.join(', ')}`, {
      status: 405,
    });
  }
  return { user, method: method as HttpMethod, path, headers: headerList(request.rawHeaders), signal };
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Users end watches by closing them. */
const isExpected = (error: NodeJS.ErrnoException | null | undefined): boolean =>
  error?.code === 'ERR_STREAM_PREMATURE_CLOSE' || error?.name === 'AbortError';

/** WebSockets are opened by GET, which the API server takes for reading; what they carry is a shell or a port. */
async function requireCreate(client: KubeClient, { name, groups, uid }: HubUser, cluster: string): Promise<void> {
  const { group, version, clusters: resource, proxy: subresource } = ClusterProxyApi;
  const user = { username: name, groups: [...groups], ...(uid !== undefined && { uid }) };
  const resourceAttributes = { verb: 'create', group, version, resource, subresource, name: cluster };
  const { allowed } = await reviewAccess(client, user, { resourceAttributes });
  if (allowed) return;
  const message = `user ${name} cannot create ${resource}.${group}/${subresource} of cluster ${cluster}, as exec, attach and port-forward need`;
  throw new KubeError('Forbidden', message, { status: 403 });
}
