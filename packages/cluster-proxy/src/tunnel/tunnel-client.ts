import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
} from 'node:http2';
import type { Duplex } from 'node:stream';
import { type Clock, KubeError, type Logger } from '@flotilla/kube';
import { tunnelLimits } from '../limits.ts';
import type { Member, MemberRequest } from '../member/member.ts';
import { answerHeaders, headerRecord, requestHeaders } from '../member/passed-headers.ts';
import { keepAlive } from './keep-alive.ts';
import { encodeUser, listOf, upgradeHeader, userHeader } from './tunnel-heads.ts';
import { widenWindow } from './widen-window.ts';
import { wrappedStream } from './wrapped-stream.ts';

const { streamWindowBytes, tunnelHeadMs } = tunnelLimits;

/** A cluster that is reached over a connection which its agent has opened. */
export interface Tunnel {
  readonly member: Member;
  /** Resolves when the connection is lost or closed. */
  readonly closed: Promise<void>;
  /** Takes no new requests, and closes when those under way have ended. */
  retire(): void;
  /** Closes now. */
  destroy(): void;
}

/** Sends requests over a connection, on whose other side an agent serves. */
export function openTunnel(
  socket: Duplex,
  { cluster, clock, log }: { readonly cluster: string; readonly clock: Clock; readonly log: Logger },
): Tunnel {
  const session = connect(`http://${cluster}`, {
    createConnection: () => wrappedStream(socket),
    settings: { enablePush: false, initialWindowSize: streamWindowBytes },
  });
  widenWindow(session);
  session.on('error', (error) => log.debug('a tunnel broke', { cluster, error: String(error) }));
  const closed = new Promise<void>((resolve) => session.once('close', resolve));
  socket.once('close', () => session.destroy());
  keepAlive(session, clock);
  return {
    member: {
      request: (request) => send(session, clock, request),
      upgrade: (request) => sendUpgrade(session, clock, request),
    },
    closed,
    retire: () => session.close(),
    destroy: () => session.destroy(),
  };
}

async function send(session: ClientHttp2Session, clock: Clock, request: MemberRequest) {
  const stream = open(session, request, {}, request.body === undefined);
  request.body?.pipe(stream);
  request.body?.once('error', () => stream.close(constants.NGHTTP2_CANCEL));
  const headers = await headOf(stream, clock, request);
  return { status: headers[':status'] ?? 502, headers: answerHeaders(listOf(headers)), body: stream };
}

async function sendUpgrade(
  session: ClientHttp2Session,
  clock: Clock,
  request: MemberRequest & { readonly protocol: string },
) {
  const stream = open(session, request, { [upgradeHeader]: request.protocol }, false);
  const headers = await headOf(stream, clock, request);
  const answered = { headers: answerHeaders(listOf(headers)) };
  if (headers[upgradeHeader] === request.protocol) return { switched: true as const, ...answered, socket: stream };
  return { switched: false as const, status: headers[':status'] ?? 502, ...answered, body: stream };
}

function open(
  session: ClientHttp2Session,
  { method, path, headers, user, signal }: MemberRequest,
  own: Readonly<Record<string, string>>,
  endStream: boolean,
): ClientHttp2Stream {
  if (session.closed || session.destroyed) throw lost();
  // HTTP/2 ends the whole session over a body that is not of its announced length, as what follows an Upgrade never is.
  const passed = requestHeaders(headers).filter(([name]) => name !== 'content-length');
  const head = {
    ...headerRecord(passed),
    ':method': method,
    ':path': path,
    [userHeader]: encodeUser(user),
    ...own,
  };
  const stream = session.request(head, { endStream, signal });
  // Whoever reads finds the error there; without a listener it would end the process.
  stream.on('error', () => undefined);
  return stream;
}

function headOf(
  stream: ClientHttp2Stream,
  clock: Clock,
  { method, path }: MemberRequest,
): Promise<IncomingHttpHeaders & { readonly ':status'?: number }> {
  return new Promise((resolve, reject) => {
    const cancel = clock.schedule(tunnelHeadMs, () => {
      reject(new KubeError('Timeout', `${method} ${path.split('?')[0]}: no answer within ${tunnelHeadMs / 1000} s`));
      stream.close(constants.NGHTTP2_CANCEL);
    });
    stream.once('response', (headers) => {
      cancel();
      resolve(headers);
    });
    stream.once('close', () => {
      cancel();
      reject(lost());
    });
  });
}

const lost = (): KubeError => new KubeError('Unavailable', 'the connection of the agent of the cluster was lost');
