import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { ConfigMapName, NamespaceName, SecretName, ServiceAccountName } from '@flotilla/api-types';
import { type Clock, createKubeClient, type Logger } from '@flotilla/kube';
import { createForwarder } from '@flotilla/kube/transport';
import type { ApiServer } from './api-server.ts';

/** The port of the gRPC server of a fleet: the same as last time, because its agents remember it. */
export async function grpcPort(directory: string): Promise<number> {
  const file = join(directory, 'grpc-port');
  const stored = Number(await readFile(file, 'utf8').catch(() => ''));
  if (stored > 0) return stored;
  const port = await freePort();
  await writeFile(file, `${port}\n`, { mode: 0o600 });
  return port;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Serves a hub by gRPC until disposed, with the rights of the account of the server. Resolves when clusters can connect. */
export async function startGrpcServer(
  { client: admin, access }: ApiServer,
  { port, clock, log }: { readonly port: number; readonly clock: Clock; readonly log: Logger },
): Promise<AsyncDisposable> {
  // Apart, because most fleets do not need gRPC.
  const { accountAccess, runGrpcServer } = await import('@flotilla/hub-runtime/grpc');
  const account = `${NamespaceName.Hub}/${ServiceAccountName.GrpcServer}`;
  const asServer = accountAccess({ client: admin, access, account, clock });
  const client = createKubeClient({ access: asServer, clock, log });
  const forwarder = createForwarder({ access: asServer, clock, log });
  const end = new AbortController();
  const { promise: listening, resolve: onListening } = Promise.withResolvers<void>();
  const running = runGrpcServer({
    client,
    forwarder,
    tls: {
      serving: { secret: `${NamespaceName.Hub}/${SecretName.GrpcServerServingCert}` },
      clientCa: { configMap: `${NamespaceName.Hub}/${ConfigMapName.CaBundle}` },
    },
    port,
    onListening: () => onListening(),
    signal: end.signal,
    clock,
    log,
  });
  await Promise.race([listening, running]);
  running.catch((error: unknown) => log.error('the gRPC server ended', { err: error }));
  return {
    async [Symbol.asyncDispose]() {
      end.abort();
      await running.catch(() => {});
      await forwarder.close();
      await client.close();
    },
  };
}
