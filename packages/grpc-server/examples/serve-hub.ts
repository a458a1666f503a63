import type { EventServer, ServingTls } from '@flotilla/cloudevents';
import { startGrpcServer } from '@flotilla/grpc-server';
import { createInformers, type KubeClient } from '@flotilla/kube';

/** Serves the hub of a client on loopback. Dispose of the result to end. */
export async function serveHub(client: KubeClient, tls: ServingTls): Promise<EventServer & AsyncDisposable> {
  const informers = createInformers({ client });
  const server = await startGrpcServer({ client, informers, tls });
  return {
    ...server,
    async [Symbol.asyncDispose]() {
      await server.close();
      informers.close();
    },
  };
}
