import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { staticAccess } from '@flotilla/kube';
import { createRelay } from '@flotilla/kube/transport';
import type { CliContext, GlobalOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { createLoopbackProxy } from '../reach/loopback-proxy.ts';
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
  const server = createLoopbackProxy(relay);
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
