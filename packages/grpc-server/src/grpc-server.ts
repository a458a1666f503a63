import { Label, managedClusters, manifestWorks } from '@flotilla/api-types';
import {
  Broker,
  createAnnouncement,
  dataTypes,
  type EventServer,
  type EventServerLimits,
  type EventServerObserver,
  leaseCodec,
  managedClusterAddOnCodec,
  managedClusterAddOnV1Alpha1Codec,
  type ServingTls,
  startEventServer,
} from '@flotilla/cloudevents';
import { type Clock, type Informers, type KubeClient, type Logger, realClock, silentLogger } from '@flotilla/kube';
import type { Forwarder } from '@flotilla/kube/transport';
import { createAuthenticator } from './authn/authenticator.ts';
import { AccessReviewer } from './authz/access-reviewer.ts';
import { createAuthorizer } from './authz/authorizer.ts';
import { type AcceptanceDeps, followAcceptance } from './authz/follow-acceptance.ts';
import { followRights } from './authz/follow-rights.ts';
import { OpenStreams } from './authz/open-streams.ts';
import { ClusterBudgets } from './budget/cluster-budgets.ts';
import type { Caller } from './caller.ts';
import { type AddOnRegistrations, addOnRegistrations } from './forwarding/add-on-registrations.ts';
import { createForwardHandler } from './forwarding/forward-handler.ts';
import { createTunnelHandler } from './forwarding/tunnel-handler.ts';
import { maxQueued } from './limits.ts';
import type { ServiceDeps } from './services/feed.ts';
import {
  addOnService,
  clusterService,
  eventService,
  leaseService,
  requestService,
} from './services/object-services.ts';
import { openRequestCache, ownUser } from './services/request-cache.ts';
import { tokenService } from './services/token-service.ts';
import { workService } from './services/work-service.ts';

/** Options of `startGrpcServer`. */
export interface GrpcServerOptions {
  readonly client: KubeClient;
  readonly informers: Informers;
  readonly tls: ServingTls;
  /** Default: loopback only. */
  readonly host?: string;
  /** Default: any free port. */
  readonly port?: number;
  /** Default: every 10 s. Null: none. */
  readonly heartbeatMs?: number | null;
  readonly limits?: Partial<EventServerLimits>;
  readonly observer?: EventServerObserver;
  /** Sends requests of add-ons to the API server. Stays the caller's. Absent: none are forwarded. */
  readonly forwarder?: Forwarder;
  readonly clock?: Clock;
  readonly log?: Logger;
  /** Ends the wait for caches. */
  readonly signal?: AbortSignal;
}

/** Serves a hub to clusters that have no access to its API. It listens once its caches are filled. */
export async function startGrpcServer(options: GrpcServerOptions): Promise<EventServer> {
  const { client, informers, tls, host, port, limits, observer, forwarder, signal } = options;
  const { clock = realClock, log = silentLogger, heartbeatMs = 10_000 } = options;
  const user = await ownUser(client, { clock, log, ...(signal && { signal }) });
  const caches = cachesOf(informers, user);
  const olderAddOns = olderAddOnsOf(informers);
  const budgets = new ClusterBudgets(clock);
  const reviewer = new AccessReviewer(client, budgets);
  const streams = new OpenStreams(clock);
  const deps: ServiceDeps = { clock, log, send: (...object) => broker.sendObject(...object) };
  const feeding = feedingServices(client, { ...caches, olderAddOns }, { reviewer, budgets }, deps);
  const broker = new Broker<Caller>([...feeding, eventService(client, budgets), tokenService(client, budgets, deps)], {
    clock,
    maxQueued,
    ...(heartbeatMs !== null && { heartbeatMs }),
  });
  const announce = announcer(broker);
  const registrations = addOnRegistrations(caches.addOns);
  const stopFollowing = followAccess(options, { clusters: caches.clusters, registrations, reviewer, streams, clock });
  const stop = () => {
    stopFollowing();
    for (const service of feeding) service.stop();
    for (const cache of [...Object.values(caches), olderAddOns]) cache.close();
  };
  try {
    // An agent that resyncs against an empty cache would delete what it has.
    await Promise.all(Object.values(caches).map((cache) => cache.whenSynced({ ...(signal && { signal }) })));
    const access = { authenticate: createAuthenticator(client, clock), reviewer, streams, budgets, clock };
    announce(tls);
    const server = await startEventServer({
      broker,
      authorizer: createAuthorizer(access),
      tls,
      clock,
      log,
      ...(host !== undefined && { host }),
      ...(port !== undefined && { port }),
      ...(limits && { limits }),
      ...(observer && { observer }),
      tunnel: createTunnelHandler({ ...access, hub: client.transport }),
      ...(forwarder && { forward: createForwardHandler({ ...access, registrations, forwarder }) }),
    });
    return {
      ...server,
      updateTls(next) {
        server.updateTls(next);
        announce(next);
      },
      async close() {
        stop();
        await server.close();
      },
    };
  } catch (error) {
    stop();
    throw error;
  }
}

/** Ends what is open when whoever opened it loses the right to it. */
function followAccess(
  { informers }: GrpcServerOptions,
  { registrations, ...deps }: AcceptanceDeps & { readonly registrations: AddOnRegistrations },
): () => void {
  const { reviewer, streams } = deps;
  const following = [
    followAcceptance(deps),
    followRights(informers, (clusterName) => {
      reviewer.forget(clusterName);
      streams.recheck(clusterName);
    }),
    registrations.follow((clusterName) => streams.recheck(clusterName)),
  ];
  return () => {
    for (const end of following) end();
  };
}

/** What is served. */
function cachesOf(informers: Informers, user: string) {
  const ofClusters = { labelSelector: Label.ClusterName };
  return {
    clusters: informers.resource(managedClusters),
    requests: openRequestCache(informers, user),
    leases: informers.resource(leaseCodec.resource, ofClusters),
    addOns: informers.resource(managedClusterAddOnCodec.resource),
    works: informers.resource(manifestWorks),
  };
}

/** A hub of today need not serve the older version; an agent that needs it waits until it does. */
const olderAddOnsOf = (informers: Informers) => informers.resource(managedClusterAddOnV1Alpha1Codec.resource);

type Caches = ReturnType<typeof cachesOf> & { readonly olderAddOns: ReturnType<typeof olderAddOnsOf> };

/** The services that send what changes on the hub. */
const feedingServices = (
  client: KubeClient,
  caches: Caches,
  { reviewer, budgets }: { readonly reviewer: AccessReviewer; readonly budgets: ClusterBudgets },
  deps: ServiceDeps,
) => [
  clusterService(client, caches.clusters, reviewer, deps),
  requestService(client, caches.requests, budgets, deps),
  leaseService(client, caches.leases, deps),
  addOnService(managedClusterAddOnCodec, client, caches.addOns, deps),
  addOnService(managedClusterAddOnV1Alpha1Codec, client, caches.olderAddOns, deps),
  workService(client, caches.works, budgets, deps),
];

/** Agents that are connected trust the next authority before anything that it signed is served to them. */
function announcer(broker: Broker<Caller>): (tls: ServingTls) => void {
  let announced: string | undefined;
  return ({ servingCa }) => {
    if (!servingCa || servingCa === announced) return;
    announced = servingCa;
    const caData = Buffer.from(servingCa).toString('base64');
    broker.announce(dataTypes.managedClusters, createAnnouncement({ caData }));
  };
}
