import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
} from 'node:http2';
import type { Duplex } from 'node:stream';
import type { Clock } from '../clock/clock.ts';
import { KubeError } from '../errors/kube-error.ts';
import { toAnswer } from './answer.ts';
import type { Call } from './call.ts';
import {
  AttemptError,
  type Connection,
  type ConnectionRequest,
  type ConnectionResponse,
  type IncomingHeaders,
} from './connection.ts';
import type { KubeResponse } from './transport.ts';

const { NGHTTP2_CANCEL, NGHTTP2_NO_ERROR, NGHTTP2_REFUSED_STREAM } = constants;

/** Until the server's SETTINGS arrive. kube-apiserver then says 250 or what its flag says. */
const streamsBeforeSettings = 100;
/** Node's defaults are the protocol's 64 KiB, which over a link of 50 ms is 1.3 MB/s for a whole cluster's list. */
const streamWindow = 4 * 2 ** 20;
const sessionWindow = 64 * 2 ** 20;
/** MiB. At Node's default of 10 a session refuses streams while a few large lists are being read. */
const sessionMemory = 512;

const endsAtOnce = { endStream: true };
const goesOn = { endStream: false };
const empty = Buffer.alloc(0);

interface Http2ConnectionOptions {
  socket: Duplex;
  server: URL;
  clock: Clock;
  /** A session that says nothing is asked after this time, and given up after as much again. */
  pingIntervalMs: number;
  pingTimeoutMs: number;
  /** Turns what broke the session into an error with a hint. */
  explain: (cause: Error) => KubeError;
  onClose: () => void;
}

/** One HTTP/2 session. A PING that stays unanswered ends it, so a black-holed connection is noticed without traffic. */
export class Http2Connection implements Connection {
  readonly #session: ClientHttp2Session;
  readonly #options: Http2ConnectionOptions;
  #streams = 0;
  #maxStreams = streamsBeforeSettings;
  /** Streams above this one were not processed by the server; known after GOAWAY. */
  #lastProcessed = Number.POSITIVE_INFINITY;
  #retired = false;
  #brokenBy: Error | undefined;
  #stopPing: () => void;

  constructor(options: Http2ConnectionOptions) {
    this.#options = options;
    this.#session = connect(options.server, {
      createConnection: () => options.socket,
      settings: { enablePush: false, initialWindowSize: streamWindow },
      maxSessionMemory: sessionMemory,
    });
    this.#session.once('connect', () => {
      // It may have been given up already, such as when its deadline passed.
      if (!this.#session.destroyed) this.#session.setLocalWindowSize(sessionWindow);
    });
    this.#session.on('remoteSettings', (settings) => {
      this.#maxStreams = settings.maxConcurrentStreams ?? Number.POSITIVE_INFINITY;
    });
    this.#session.on('goaway', (_code, lastStreamId) => {
      this.#lastProcessed = lastStreamId;
      this.#retired = true;
    });
    this.#session.on('error', (error) => {
      this.#brokenBy ??= error;
    });
    this.#session.once('close', () => {
      this.#retired = true;
      this.#stopPing();
      options.onClose();
    });
    this.#stopPing = options.clock.schedule(options.pingIntervalMs, () => this.#ping());
  }

  get isOpen(): boolean {
    return !this.#retired && !this.#session.closed && !this.#session.destroyed;
  }

  get room(): number {
    return this.isOpen ? this.#maxStreams - this.#streams : 0;
  }

  /** The hot path: one promise and one set of listeners for each request. */
  exchange(request: ConnectionRequest, call: Call): Promise<KubeResponse> {
    return new Promise((resolve, reject) => {
      const stream = this.#start(request, call, reject);
      let head: ResponseHead | undefined;
      let first: Buffer | undefined;
      let rest: Buffer[] | undefined;
      stream?.on('response', (headers) => {
        head = headers;
      });
      stream?.on('data', (chunk: Buffer) => {
        if (!call.receive(chunk.length)) return;
        // Most answers are one DATA frame, which then needs no copy.
        if (!first) first = chunk;
        else if (rest) rest.push(chunk);
        else rest = [first, chunk];
      });
      stream?.on('end', () => {
        // Cut short: what follows is 'close', which rejects.
        if (stream.rstCode !== NGHTTP2_NO_ERROR) return;
        if (!head) return reject(this.#lost(new Error('the server ended the stream without an answer'), true));
        resolve(toAnswer(head[':status'] ?? 0, head, rest ? Buffer.concat(rest) : (first ?? empty), call));
      });
    });
  }

  open(request: ConnectionRequest, call: Call): Promise<ConnectionResponse> {
    return new Promise((resolve, reject) => {
      const stream = this.#start(request, call, reject);
      stream?.on('response', (headers) => resolve(new Http2Response(stream, headers)));
    });
  }

  /** Sends, and rejects when the stream ends in any way: a promise that was resolved before stays so. */
  #start(request: ConnectionRequest, call: Call, reject: (error: Error) => void): ClientHttp2Stream | undefined {
    let stream: ClientHttp2Stream;
    try {
      const { headers } = request;
      headers[':method'] = request.method;
      headers[':path'] = request.path;
      stream = this.#session.request(headers, request.body === undefined ? endsAtOnce : goesOn);
    } catch (cause) {
      reject(this.#lost(toError(cause), false));
      return undefined;
    }
    this.#streams++;
    let broken: Error | undefined;
    stream.on('error', (error) => {
      broken = error;
    });
    stream.on('close', () => {
      this.#streams--;
      if (this.#retired && this.#streams === 0) this.#session.close();
      // An error takes a stack trace, which costs more than the request: only make one if there was a loss.
      if (stream.readableEnded && stream.rstCode === NGHTTP2_NO_ERROR) return;
      const cause = broken ?? this.#brokenBy ?? new Error('the connection was closed');
      reject(call.failure ?? this.#lost(cause, this.#maybeProcessed(stream)));
    });
    call.begin('the response', (error) => {
      stream.close(NGHTTP2_CANCEL);
      reject(error);
    });
    if (request.body !== undefined) stream.end(request.body);
    return stream;
  }

  retire(): void {
    this.#retired = true;
    if (this.#streams === 0) this.#session.close();
  }

  destroy(cause: Error): void {
    this.#retired = true;
    this.#brokenBy ??= cause;
    this.#session.destroy(cause, NGHTTP2_CANCEL);
  }

  #maybeProcessed(stream: ClientHttp2Stream): boolean {
    if (stream.id === undefined || stream.rstCode === NGHTTP2_REFUSED_STREAM) return false;
    return stream.id <= this.#lastProcessed;
  }

  #lost(cause: Error, maybeProcessed: boolean): AttemptError {
    return new AttemptError(this.#options.explain(cause), maybeProcessed);
  }

  #ping(): void {
    if (this.#session.destroyed) return;
    const { clock, pingIntervalMs, pingTimeoutMs } = this.#options;
    this.#stopPing = clock.schedule(pingTimeoutMs, () =>
      this.destroy(
        new KubeError('Unavailable', `no answer to a PING within ${pingTimeoutMs} ms: the connection is dead`),
      ),
    );
    this.#session.ping((error) => {
      if (error || this.#session.destroyed) return;
      this.#stopPing();
      this.#stopPing = clock.schedule(pingIntervalMs, () => this.#ping());
    });
  }
}

type ResponseHead = IncomingHttpHeaders & IncomingHttpStatusHeader;

class Http2Response implements ConnectionResponse {
  readonly status: number;
  readonly incoming: IncomingHeaders;
  readonly body: ClientHttp2Stream;
  readonly monitored = true;

  constructor(stream: ClientHttp2Stream, incoming: ResponseHead) {
    this.status = incoming[':status'] ?? 0;
    this.incoming = incoming;
    this.body = stream;
  }

  isComplete(): boolean {
    return this.body.rstCode === NGHTTP2_NO_ERROR;
  }

  abort(): void {
    this.body.close(NGHTTP2_CANCEL);
  }
}

const toError = (caught: unknown): Error => (caught instanceof Error ? caught : new Error(String(caught)));
