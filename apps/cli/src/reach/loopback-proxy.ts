import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import { type Duplex, pipeline } from 'node:stream';
import { KubeError } from '@flotilla/kube';
import type { HttpMethod, Relay } from '@flotilla/kube/transport';

/** A page in a browser must not reach it under another name that leads here. */
const hosts = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;
/** As kubectl: who can reach the port could otherwise run commands in pods. Kubelets do it too, by the proxy of their nodes. */
const needsCredentials = /\/pods\/.*\/(exec|attach)(\/|$)|\/nodes\/.*\/proxy\/+(exec|attach|run)(\/|$)/i;
const methods: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] satisfies HttpMethod[];
/** They are about one connection, or say who asks. */
const dropped = new Set([
  'host',
  'connection',
  'upgrade',
  'content-length',
  'transfer-encoding',
  'authorization',
  'origin',
  'referer',
]);
const deadlineMs = 65_000;

type Head = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

/** A server without credentials of its own that passes on what comes from this machine. The caller lets it listen. */
export function createLoopbackProxy(relay: Relay): Server {
  const server = createServer((request, response) => void answer(relay, request, response));
  server.on('upgrade', (request, socket, head) => void join(relay, request, socket, head));
  return server;
}

/** Why a request is not passed on; undefined if it is. */
function refusalOf({ method = 'GET', url = '/', headers }: Head): string | undefined {
  if (!hosts.test(headers.host ?? '')) return 'Forbidden: this proxy answers only to localhost and 127.0.0.1\n';
  if (isForeignPage(headers)) return 'Forbidden: this proxy does not answer to pages of other sites\n';
  if (!methods.includes(method)) return `Forbidden: ${method} is not passed on\n`;
  const path = decoded(url.split('?')[0] ?? '');
  if (path === undefined) return 'Forbidden: the path is not encoded as paths are\n';
  if (!needsCredentials.test(path)) return undefined;
  return 'Forbidden: exec and attach need credentials. Use `flotilla proxy kubectl`, or the file of `flotilla get kubeconfig`\n';
}

/** A path as the last server on the way may read it: each may decode it once more. Undefined if it cannot be decoded. */
function decoded(path: string): string | undefined {
  try {
    const once = decodeURIComponent(path);
    return once === path ? path : decoded(once);
  } catch {
    return undefined;
  }
}

/**
 * Browsers let any page send requests and open WebSockets to this machine, and say which site it is of; other programs say nothing.
 * Also reads are refused: the answer of a GET is hidden from the page, what it does is not.
 */
const isForeignPage = ({ origin, 'sec-fetch-site': site }: Head['headers']): boolean =>
  (origin !== undefined && !hosts.test(origin.replace(/^https?:\/\//, ''))) ||
  (site !== undefined && site !== 'same-origin' && site !== 'none');

const passedHeaders = ({ headers }: Head): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || dropped.has(name) ? [] : [[name, [value].flat().join(', ')]],
    ),
  );

const keptHeaders = (headers: readonly (readonly [string, string])[]) =>
  headers.filter(([name]) => !dropped.has(name) && !name.startsWith(':'));

async function answer(relay: Relay, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = 'GET', url = '/' } = request;
  const refusal = refusalOf(request);
  if (refusal !== undefined) {
    response.writeHead(403).end(refusal);
    return;
  }
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  try {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const answered = await relay.relay({
      method: method as HttpMethod,
      path: url,
      headers: passedHeaders(request),
      ...(parts.length > 0 && { body: Buffer.concat(parts) }),
      signal: gone.signal,
      deadlineMs,
    });
    response.writeHead(answered.status, keptHeaders(answered.headers).flat());
    pipeline(answered.body, response, () => answered.abort());
  } catch (error) {
    if (!response.headersSent) response.writeHead(502);
    response.end(`${KubeError.from(error).message}\n`);
  }
}

/** Passes on a request for another protocol, such as that of port-forward, and joins the connections. */
async function join(relay: Relay, request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
  const gone = new AbortController();
  socket.once('close', () => gone.abort());
  // Its end is seen by `close`.
  socket.on('error', () => {});
  const refusal = refusalOf(request);
  if (refusal !== undefined) {
    socket.end(`${headText(403, [['connection', 'close']])}${refusal}`);
    return;
  }
  const { method = 'GET', url = '/', headers } = request;
  const protocol = headers.upgrade ?? '';
  try {
    const answered = await relay.upgrade({
      method: method as HttpMethod,
      path: url,
      protocol,
      headers: passedHeaders(request),
      signal: gone.signal,
      deadlineMs,
    });
    if (answered.switched) {
      const own = [['connection', 'Upgrade'] as const, ['upgrade', protocol] as const];
      socket.write(headText(101, [...keptHeaders(answered.headers), ...own]));
      if (head.length > 0) answered.socket.write(head);
      pipeline(answered.socket, socket, answered.socket, () => {});
    } else {
      socket.write(headText(answered.status, [...keptHeaders(answered.headers), ['connection', 'close']]));
      pipeline(answered.body, socket, () => {});
    }
  } catch (error) {
    socket.end(`${headText(502, [['connection', 'close']])}${KubeError.from(error).message}\n`);
  }
}

const headText = (status: number, headers: readonly (readonly [string, string])[]): string =>
  [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...headers.map(([name, value]) => `${name}: ${value}`), '', ''].join(
    '\r\n',
  );
