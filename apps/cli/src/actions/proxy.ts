import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import { KubeError, staticAccess } from '@flotilla/kube';
import { createRelay, type HttpMethod, type Relay } from '@flotilla/kube/transport';
import type { CliContext, GlobalOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { memberAccess, requireMember } from '../reach/member-access.ts';

/** The flags of `proxy`. */
export interface ProxyServeOptions {
  readonly cluster?: string;
  readonly port: number;
}

/** Serves the API of a cluster on loopback until Ctrl-C. */
export async function serveProxy(context: CliContext, options: ProxyServeOptions & GlobalOptions): Promise<void> {
  const { cluster, port } = options;
  const { clock, env, signal } = context;
  if (!cluster) throw new CliError('usage', '--cluster is missing', 'Name the cluster to reach: --cluster cluster1.');
  await using hub = await context.connector.toCluster(options);
  await requireMember(context, hub, cluster);
  const relay = createRelay({
    access: staticAccess(memberAccess(hub.access, cluster)),
    clock,
    env,
    userAgent: 'flotilla',
  });
  const server = createServer((request, response) => void answer(relay, request, response));
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening').catch((error: unknown) => {
      throw new CliError('usage', `port ${port} cannot be used: ${String(error)}`, 'Choose another: --port 0.', error);
    });
    const { port: listening } = server.address() as AddressInfo;
    context.err.write(`Cluster ${cluster} is served at http://127.0.0.1:${listening} until Ctrl-C.\n`);
    if (!signal.aborted) await once(signal, 'abort');
  } finally {
    server.closeAllConnections();
    server.close();
    await relay.close();
  }
}

/** A page in a browser must not reach it under another name that leads here. */
const hosts = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;
/** As kubectl: who can reach the port could otherwise run commands in pods. */
const refused = /\/pods\/[^/]+\/(exec|attach)$/;
const methods: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] satisfies HttpMethod[];
const dropped = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'authorization',
  'origin',
  'referer',
]);

async function answer(relay: Relay, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = 'GET', url = '/' } = request;
  const path = url.split('?')[0] ?? '';
  if (!hosts.test(request.headers.host ?? '') || refused.test(path) || !methods.includes(method)) {
    response.writeHead(403).end('Forbidden\n');
    return;
  }
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  try {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const headers = Object.entries(request.headers).flatMap(([name, value]) =>
      value === undefined || dropped.has(name) ? [] : [[name, [value].flat().join(', ')] as const],
    );
    const answered = await relay.relay({
      method: method as HttpMethod,
      path: url,
      headers: Object.fromEntries(headers),
      ...(parts.length > 0 && { body: Buffer.concat(parts) }),
      signal: gone.signal,
      deadlineMs: 65_000,
    });
    const kept = answered.headers.filter(([name]) => !dropped.has(name) && !name.startsWith(':'));
    response.writeHead(answered.status, kept.flat());
    pipeline(answered.body, response, () => answered.abort());
  } catch (error) {
    if (!response.headersSent) response.writeHead(502);
    response.end(`${KubeError.from(error).message}\n`);
  }
}
