import { create } from '@bufbuild/protobuf';
import { type Empty, EmptySchema } from '@bufbuild/protobuf/wkt';
import { type Clock, KubeError, type Logger, realClock, silentLogger } from '@flotilla/kube';
import { Server, ServerCredentials, type sendUnaryData, status } from '@grpc/grpc-js';
import type { Broker } from '../broker/broker.ts';
import { toCallStatus, toStreamStatus } from '../grpc/error-status.ts';
import { service } from '../grpc/service.ts';
import { hubProxyService } from '../hub-proxy/frames.ts';
import { tunnelMethod } from '../hub-proxy/tunnel-frames.ts';
import { defaultLimits, type EventServerLimits } from '../limits.ts';
import { admissionInterceptor } from './admission.ts';
import type { Authorizer } from './authorizer.ts';
import type { CallContext } from './call-context.ts';
import { CallTimer } from './call-timer.ts';
import { Connections } from './connections.ts';
import type { ForwardHandler } from './forward-handler.ts';
import { type ForwardCall, handleForward } from './handle-forward.ts';
import { handlePublish, type PublishCall, type PublishDeps } from './handle-publish.ts';
import { handleSubscribe, type SubscribeCall, type SubscribeDeps } from './handle-subscribe.ts';
import { handleTunnel, type TunnelCall, type TunnelHandler } from './handle-tunnel.ts';
import type { EventServerObserver } from './observer.ts';
import { serverOptions } from './server-options.ts';
import { listenTls, type ServingTls } from './tls-listener.ts';

/** What a server is made with. */
export interface EventServerOptions<Caller> {
  readonly broker: Broker<Caller>;
  readonly authorizer: Authorizer<Caller>;
  readonly tls: ServingTls;
  /** Default: loopback only. */
  readonly host?: string;
  /** Default: any free port. */
  readonly port?: number;
  readonly clock?: Clock;
  readonly log?: Logger;
  readonly limits?: Partial<EventServerLimits>;
  readonly observer?: EventServerObserver;
  /** Answers requests of add-ons. Absent: such calls are UNIMPLEMENTED, as with servers of Open Cluster Management. */
  readonly forward?: ForwardHandler;
  /** Opens the other end of tunnels of clusters. Absent: such calls are UNIMPLEMENTED. */
  readonly tunnel?: TunnelHandler;
}

/** A running server. */
export interface EventServer {
  readonly port: number;
  /**
   * Uses another certificate, key or client authority for new connections. Those of clients whose authority is no longer trusted end.
   */
  updateTls(tls: ServingTls): void;
  /** Ends all streams and calls. Clients connect to another replica, or again. */
  close(): Promise<void>;
}

/** Serves a broker by gRPC. */
export async function startEventServer<Caller>(options: EventServerOptions<Caller>): Promise<EventServer> {
  const { broker, authorizer, tls, host = '127.0.0.1', port = 0, clock = realClock, log = silentLogger } = options;
  const { observer } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const deps = { broker, authorizer, log, maxDataBytes: limits.maxMessageBytes, ...(observer && { observer }) };
  const connections = new Connections(clock, limits);
  const admit = (call: CallContext) => authorizer.admit(call);
  const interceptors = [admissionInterceptor({ admit, connections, clock, observer })];
  const server = new Server({ ...serverOptions(limits), interceptors });
  addEventService(server, deps, clock);
  addProxyServices(server, options, clock);
  // The TLS is ours, to follow changed certificates and to refuse unverified ones; gRPC gets the connections as they are.
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  const listener = await listenTls({
    ...limits,
    host,
    port,
    tls,
    log,
    onSocket: (socket) => connections.opened(socket),
    onConnection: injector.injectConnection.bind(injector),
    ...(observer && { onCount: (open: number) => observer.connections(open) }),
  });
  return {
    port: listener.port,
    updateTls: listener.update,
    async close() {
      listener.stop();
      broker.close(new KubeError('Unavailable', 'the server stops'));
      await drained(server, clock);
      injector.destroy();
      await listener.close();
    },
  };
}

function addEventService<Caller>(
  server: Server,
  deps: PublishDeps<Caller> & SubscribeDeps<Caller>,
  clock: Clock,
): void {
  const { observer } = deps;
  const publish = { ...service.publish, requestDeserialize: (bytes: Buffer) => bytes };
  server.addService(
    { ...service, publish },
    {
      publish(call: PublishCall, done: sendUnaryData<Empty>) {
        const timer = new CallTimer('Publish', clock, observer);
        handlePublish(deps, call, timer).then(
          (trailer) => {
            timer.end(status.OK);
            done(null, create(EmptySchema), trailer);
          },
          (error) => {
            const refused = toCallStatus(error);
            timer.end(refused.code);
            done(refused);
          },
        );
      },
      subscribe(call: SubscribeCall) {
        const timer = new CallTimer('Subscribe', clock, observer);
        handleSubscribe(deps, call, timer).catch((error) => {
          const refused = toStreamStatus(error);
          timer.end(refused.code);
          call.emit('error', refused);
        });
      },
    },
  );
}

/** What is beyond OCM's protocol, as far as it is offered. */
function addProxyServices<Caller>(
  server: Server,
  { forward, tunnel, observer }: EventServerOptions<Caller>,
  clock: Clock,
): void {
  if (forward) {
    server.addService(hubProxyService, {
      forward: (call: ForwardCall) =>
        void handleForward(forward, call, { timer: new CallTimer('Forward', clock, observer), clock }),
    });
  }
  if (tunnel) {
    server.addService(
      { tunnel: tunnelMethod },
      {
        tunnel: (call: TunnelCall) =>
          void handleTunnel(tunnel, call, { timer: new CallTimer('Tunnel', clock, observer), clock }),
      },
    );
  }
}

/** Lets calls that run come to their end, for some seconds. */
async function drained(server: Server, clock: Clock): Promise<void> {
  const end = new AbortController();
  const shutdown = new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
  await Promise.race([shutdown, clock.sleep(5000, end.signal).catch(() => {})]);
  end.abort();
  server.forceShutdown();
}
