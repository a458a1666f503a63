import { performServerHandshake, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream';
import { type Clock, KubeError, type Logger } from '@flotilla/kube';
import type { HttpMethod } from '@flotilla/kube/transport';
import { tunnelLimits } from '../limits.ts';
import { joinStreams } from '../member/join-streams.ts';
import type { Member, MemberAnswer } from '../member/member.ts';
import { answerHeaders, headerRecord } from '../member/passed-headers.ts';
import { statusBody, statusOfError } from '../member/status-body.ts';
import { keepAlive } from './keep-alive.ts';
import { decodeUser, listOf, upgradeHeader, userHeader } from './tunnel-heads.ts';
import { widenWindow } from './widen-window.ts';
import { wrappedStream } from './wrapped-stream.ts';

/** What a tunnel is served with. */
export interface TunnelServerOptions {
  readonly member: Member;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Answers the requests that the hub sends over a connection, which the caller has opened. */
export function serveTunnel(socket: Duplex, { member, clock, log }: TunnelServerOptions): ServerHttp2Session {
  const { maxTunnelStreams, streamWindowBytes } = tunnelLimits;
  const session = performServerHandshake(wrappedStream(socket), {
    settings: { maxConcurrentStreams: maxTunnelStreams, initialWindowSize: streamWindowBytes },
  });
  widenWindow(session);
  session.on('stream', (stream, headers) => {
    const gone = new AbortController();
    stream.on('error', () => undefined);
    stream.once('close', () => gone.abort());
    answer(stream, headers, { member, signal: gone.signal }).catch((error: unknown) => {
      log.debug('a request of the hub was not answered', { error: String(error) });
      refuse(stream, error);
    });
  });
  session.on('error', (error) => log.debug('the tunnel to the hub broke', { error: String(error) }));
  keepAlive(session, clock);
  return session;
}

async function answer(
  stream: ServerHttp2Stream,
  headers: Parameters<typeof listOf>[0],
  { member, signal }: { readonly member: Member; readonly signal: AbortSignal },
): Promise<void> {
  const user = decodeUser(headers[userHeader]);
  const method = methodOf(headers[':method']);
  const request = { user, method, path: headers[':path'] ?? '/', headers: listOf(headers), signal };
  const protocol = headers[upgradeHeader];
  if (typeof protocol !== 'string') {
    const hasBody = method !== 'GET' && method !== 'HEAD';
    return send(stream, await member.request({ ...request, ...(hasBody && { body: stream }) }));
  }
  const connection = await member.upgrade({ ...request, protocol });
  if (!connection.switched) return send(stream, connection);
  stream.respond({ ':status': 200, ...headerRecord(answerHeaders(connection.headers)), [upgradeHeader]: protocol });
  joinStreams(stream, connection.socket);
}

function send(stream: ServerHttp2Stream, { status, headers, body }: MemberAnswer): void {
  if (stream.destroyed) {
    body.destroy();
    return;
  }
  stream.respond({ ':status': status, ...headerRecord(headers) });
  // A body that breaks resets the stream, so that the user never takes a part for the whole.
  pipeline(body, stream, () => undefined);
}

const methods: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] satisfies HttpMethod[];

function methodOf(method: string | undefined): HttpMethod {
  if (method !== undefined && methods.includes(method)) return method as HttpMethod;
  throw new KubeError('MethodNotAllowed', `the method ${method} is not one of ${methods.join(', ')}`, { status: 405 });
}

function refuse(stream: ServerHttp2Stream, error: unknown): void {
  if (stream.destroyed || stream.headersSent) {
    stream.destroy();
    return;
  }
  const status = statusOfError(error);
  stream.respond({ ':status': status.code, 'content-type': 'application/json' });
  stream.end(statusBody(status));
}
