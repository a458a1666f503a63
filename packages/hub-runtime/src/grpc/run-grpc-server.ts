import { managedClusterAddOnVersions } from '@flotilla/api-types/conversion';
import type { EventServer, EventServerLimits, EventServerObserver, ServingTls } from '@flotilla/cloudevents';
import { startGrpcServer } from '@flotilla/grpc-server';
import { type Clock, createInformers, type KubeClient, type Logger } from '@flotilla/kube';
import { withOlderVersion } from '@flotilla/kube/discovery';
import type { KitMetrics } from '@flotilla/kube/metrics';
import type { Forwarder } from '@flotilla/kube/transport';
import { followTls, type TlsSources } from './tls-sources.ts';

/** What the gRPC server of a hub runs with. */
export interface RunGrpcServerInput {
  /** The API server of the hub. */
  readonly client: KubeClient;
  /** The same API server, for add-ons: requests that are sent as other users. Stays the caller's. Absent: none are forwarded. */
  readonly forwarder?: Forwarder;
  readonly tls: TlsSources;
  /** Default: loopback only. */
  readonly host?: string;
  /** Default: any free port. */
  readonly port?: number;
  /** Default: every 10 s. Null: none. */
  readonly heartbeatMs?: number | null;
  readonly limits?: Partial<EventServerLimits>;
  readonly observer?: EventServerObserver;
  /** Called when agents can connect. */
  readonly onListening?: (server: Pick<EventServer, 'port'>) => void;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics?: KitMetrics;
}

/** Serves the hub to clusters that have no access to its API until the signal aborts. Waits for certificates, and follows them. */
export async function runGrpcServer({
  client,
  tls: sources,
  onListening,
  metrics,
  ...input
}: RunGrpcServerInput): Promise<void> {
  const { clock, log, signal } = input;
  const hub = withOlderVersion(client, managedClusterAddOnVersions);
  using informers = createInformers({
    client: hub,
    clock,
    log,
    ...(metrics && { metrics }),
  });
  const { promise: first, resolve: start } = Promise.withResolvers<ServingTls>();
  let server: EventServer | undefined;
  let newest: ServingTls | undefined;
  const use = (tls: ServingTls) => {
    newest = tls;
    start(tls);
    server?.updateTls(tls);
  };
  using _following = followTls({ sources, informers, clock, log, use });
  const ended = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  const tls = await Promise.race([first, ended]);
  if (!tls) return;
  server = await startGrpcServer({ ...input, client: hub, informers, tls });
  try {
    // It may have changed while the caches were filled.
    if (newest && newest !== tls) server.updateTls(newest);
    log.info('serving clusters by gRPC', { port: server.port });
    onListening?.(server);
    await ended;
  } finally {
    await server.close();
  }
}
