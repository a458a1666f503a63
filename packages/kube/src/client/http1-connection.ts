import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { KubeError } from '../errors/kube-error.ts';
import type { Call } from './call.ts';
import { AttemptError, type Connection, type ConnectionRequest, type ConnectionResponse } from './connection.ts';
import { readWhole } from './response-body.ts';
import type { KubeResponse } from './transport.ts';

/** Below the 90 s and more after which servers and load balancers close idle sockets, so that we close first. */
const idleSocketMs = 55_000;

interface Http1ConnectionOptions {
  /** Already open: the one on which the protocol was negotiated. */
  socket: Duplex;
  /** Opens one more. */
  dial: () => Promise<Duplex>;
  server: URL;
  explain: (cause: Error) => KubeError;
  onClose: () => void;
}

/** Keep-alive sockets made by our own dialer, so that TLS, proxy and deadlines are the same as for HTTP/2. */
class DialingAgent extends Agent {
  readonly #dial: () => Promise<Duplex>;

  constructor(dial: () => Promise<Duplex>) {
    super({ keepAlive: true, timeout: idleSocketMs, maxFreeSockets: 32 });
    this.#dial = dial;
  }

  override createConnection(_options: unknown, done?: (error: Error | null, socket: Duplex) => void): undefined {
    this.#dial().then(
      (socket) => done?.(null, socket),
      // Node's types want a socket even beside an error; it is not used.
      (error: Error) => (done as ((error: Error) => void) | undefined)?.(error),
    );
  }
}

/** The fallback where the server or something before it does not speak HTTP/2: one socket for each request under way. */
export class Http1Connection implements Connection {
  readonly #agent: DialingAgent;
  readonly #options: Http1ConnectionOptions;
  readonly #underWay = new Set<ClientRequest>();
  #retired = false;

  constructor(options: Http1ConnectionOptions) {
    this.#options = options;
    let first: Duplex | undefined = options.socket;
    // It may be reset before its first request, which then opens another.
    first.on('error', () => undefined);
    this.#agent = new DialingAgent(() => {
      const socket = first;
      first = undefined;
      return socket && !socket.destroyed ? Promise.resolve(socket) : options.dial();
    });
  }

  get isOpen(): boolean {
    return !this.#retired;
  }

  get room(): number {
    return this.#retired ? 0 : Number.POSITIVE_INFINITY;
  }

  async exchange(request: ConnectionRequest, call: Call): Promise<KubeResponse> {
    return readWhole(await this.open(request, call), call);
  }

  open(connectionRequest: ConnectionRequest, call: Call): Promise<ConnectionResponse> {
    return new Promise((resolve, reject) => {
      const { method, path, headers, body } = connectionRequest;
      const { server } = this.#options;
      headers.host = server.host;
      if (body !== undefined) headers['content-length'] = String(Buffer.byteLength(body));
      const request = httpRequest({ agent: this.#agent, method, path, headers, host: server.hostname });
      this.#underWay.add(request);
      let response: IncomingMessage | undefined;
      let broken: Error | undefined;
      request.on('error', (error) => {
        broken = error;
      });
      request.once('response', (message) => {
        response = message;
        // A loss in the middle of the body is reported here too; the reader of the body finds it by isComplete.
        message.on('error', () => undefined);
        resolve({
          status: message.statusCode ?? 0,
          incoming: message.headers,
          body: message,
          monitored: false,
          isComplete: () => message.complete,
          abort: () => request.destroy(),
        });
      });
      request.once('close', () => {
        this.#underWay.delete(request);
        if (this.#retired && this.#underWay.size === 0) this.#end();
        if (response) return;
        const cause = broken ?? new Error('the connection was closed');
        // A KubeError comes from the dialer: nothing was sent.
        reject(call.failure ?? new AttemptError(this.#options.explain(cause), !(cause instanceof KubeError)));
      });
      call.begin('the response', (error) => {
        request.destroy();
        reject(error);
      });
      request.end(body);
    });
  }

  retire(): void {
    this.#retired = true;
    if (this.#underWay.size === 0) this.#end();
  }

  destroy(cause: Error): void {
    this.#retired = true;
    for (const request of this.#underWay) request.destroy(cause);
    this.#end();
  }

  #end(): void {
    this.#options.socket.destroy();
    this.#agent.destroy();
    this.#options.onClose();
  }
}
