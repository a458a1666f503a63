import type { EventServer, ServingTls } from '@flotilla/cloudevents';
import { startGrpcServer } from '@flotilla/grpc-server';
import { createInformers, type KubeClient } from '@flotilla/kube';
import type { Forwarder } from '@flotilla/kube/transport';

/** Serves the hub of a client on loopback; with a forwarder its API is served to add-ons, too. Dispose of the result to end. */
export async function serveHub(
  client: KubeClient,
  tls: ServingTls,
  forwarder?: Forwarder,
): Promise<EventServer & AsyncDisposable> {
  const informers = createInformers({ client });
  const server = await startGrpcServer({ client, informers, tls, ...(forwarder && { forwarder }) });
  return {
    ...server,
    async [Symbol.asyncDispose]() {
      await server.close();
      informers.close();
    },
  };
}
