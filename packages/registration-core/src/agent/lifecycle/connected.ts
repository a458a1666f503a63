import { clusterClaims, type ManagedCluster } from '@flotilla/api-types';
import {
  applyConditions,
  type Controller,
  createEventRecorder,
  createInformers,
  type EventRecorder,
  type Informers,
  isDeleting,
  KubeError,
  runControllers,
} from '@flotilla/kube';
import { events, namespaces, nodes } from '@flotilla/kube/kinds';
import type { DriverCondition, HubEndpoint, HubInfo, StoredCredentials } from '../../contract/index.ts';
import { addonControllers } from '../addons/addon.controllers.ts';
import { keepCredentials } from '../credentials/credential-loop.ts';
import { followAnnouncements } from '../hub-info/follow-announcements.ts';
import { followHubInfo } from '../hub-info/follow-hub-info.ts';
import { type HubWatch, watchHub } from '../hubs/hub-watch.ts';
import { removedMessage, takenMessage } from '../join/ensure-managed-cluster.ts';
import { isAccepted } from '../join/is-accepted.ts';
import { readJoinRecord } from '../join/join-record.ts';
import { type JoinRecorder, joinRecorder } from '../join/join-recorder.ts';
import { managedClusterController } from '../join/managed-cluster.controller.ts';
import { leaseController } from '../lease/lease.controller.ts';
import { clusterProperties } from '../status/claims.policy.ts';
import { managedNamespaceLabel } from '../status/managed-namespaces.ts';
import { keepNodeResources } from '../status/resources.policy.ts';
import { statusController } from '../status/status.controller.ts';
import { openWatchedConnection, type WatchedConnection } from './connection.ts';
import type { AgentContext, PhaseScope } from './context.ts';
import { retryUntilDone } from './retry.ts';

/** A cache that cannot be filled (not yet accepted, kind not installed) is waited for, and never a reason to end. */
const syncTimeoutMs = Number.POSITIVE_INFINITY;

/** One connection, and what its loops share. */
interface Connected extends WatchedConnection {
  readonly context: AgentContext;
  readonly scope: PhaseScope;
  readonly spokeInformers: Informers;
  readonly recorder: JoinRecorder;
  readonly hubEvents: EventRecorder;
  /** Only with the gate MultipleHubs. */
  readonly hubWatch: HubWatch | undefined;
  readonly signal: AbortSignal;
}

/** Works with stored credentials: heartbeat, status, add-ons and renewal, from the first answer until the connection ends. */
export async function runConnected(context: AgentContext, scope: PhaseScope, stored: StoredCredentials): Promise<void> {
  const { clock, log, random, spoke, store } = context;
  // If one part of a connection fails they all end, because the next attempt starts them all.
  const end = new AbortController();
  const signal = AbortSignal.any([scope.signal, end.signal]);
  await using connection = openWatchedConnection(context, { ...scope, signal }, stored);
  using spokeInformers = createInformers({ client: spoke, clock, log, random });
  const reportingController = 'klusterlet-agent';
  const hubEvents = createEventRecorder({
    events: connection.hub.resource(events),
    reportingController,
    clock,
    log,
    random,
  });
  const connected: Connected = {
    ...connection,
    context,
    scope,
    spokeInformers,
    recorder: joinRecorder({ store, bootstrap: scope.bootstrap, log }),
    hubEvents,
    hubWatch: context.gates.MultipleHubs ? watchOneOfManyHubs(context, scope, connection, signal) : undefined,
    signal,
  };
  const following = followCluster(connected, stored);
  const loops = [
    keepOwnCredentials(connected),
    following.publishedInfo,
    handOutWhenSynced(connected),
    runControllers(controllersOf(connected), { signal, clock, log, random, syncTimeoutMs }),
  ];
  try {
    await Promise.all(loops);
  } finally {
    end.abort();
    await Promise.allSettled(loops);
    following.unsubscribe();
    await hubEvents.close();
  }
}

/** Reports to the agent what happens to its ManagedCluster, and records as what it joined. */
function followCluster(connected: Connected, stored: StoredCredentials) {
  const { context, clusters, acceptance, recorder, hubWatch } = connected;
  const { identity, description, send, session } = context;
  const { clusterName } = identity;
  let hubUid: string | undefined;
  const sendRemoved = (): void => {
    const message = removedMessage(clusterName, 'its ManagedCluster was deleted');
    send({ type: 'obstacleFound', obstacle: { reason: 'Removed', message } });
  };
  if (readJoinRecord(stored, clusterName)?.removed) sendRemoved();
  const subscription = clusters.changes.subscribe(({ object, type }) => {
    const isGone = type === 'deleted';
    const taken = isGone ? undefined : takenMessage(object, description);
    if (taken !== undefined) return send({ type: 'obstacleFound', obstacle: { reason: 'NameTaken', message: taken } });
    const isIn = !isGone && !isDeleting(object) && isAccepted(object);
    acceptance.observed(isIn);
    send({ type: isIn ? 'accepted' : 'notAccepted' });
    session.handOut();
    if (isGone) return;
    if (isDeleting(object)) sendRemoved();
    void recorder.observe(object, hubUid);
    hubWatch?.observed(object);
  });
  const publishedInfo = followPublishedInfo(connected, async (uid) => {
    hubUid = uid;
    const cluster: ManagedCluster | undefined = clusters.get(clusterName);
    if (cluster) await recorder.observe(cluster, uid);
  });
  return { publishedInfo, unsubscribe: () => subscription.unsubscribe() };
}

/** Follows what the hub announces, or publishes where its driver reads that. */
async function followPublishedInfo(
  { context, scope, unwatched, info, announcements, signal }: Connected,
  onUid: (uid: string | undefined) => Promise<void>,
): Promise<void> {
  const { driver, clock, log, random } = context;
  const following = {
    bootstrap: () => bootstrapEndpoint(scope, info.endpoint),
    async onInfo(published: HubInfo, caData: string | undefined) {
      // First, because nothing that has to be stored may delay the use of a new CA.
      await info.observe(published, caData);
      await onUid(published.uid);
    },
    log,
    signal,
  };
  if (announcements) {
    await followAnnouncements({
      ...following,
      announcements,
      changes: scope.bootstrap.changes,
      // The hub may announce it only once, and connections are hours apart.
      async onInfo(published, caData, replaced) {
        const observe = () => following.onInfo(published, caData);
        await retryUntilDone('store what the hub announced', { ...context, signal: replaced }, observe);
      },
    });
  } else if (driver.readHubInfo) {
    await followHubInfo({
      ...following,
      read: async () => driver.readHubInfo?.(unwatched, signal),
      clock,
      random,
    });
  }
}

/** Where the bootstrap source leads; the endpoint in use while it cannot be read, or a new CA would never be trusted. */
async function bootstrapEndpoint({ bootstrap }: PhaseScope, inUse: () => HubEndpoint): Promise<HubEndpoint> {
  try {
    return (await bootstrap.current()).endpoint;
  } catch (error) {
    if (!KubeError.is(error, 'Config')) throw error;
    return inUse();
  }
}

function keepOwnCredentials({ context, hub, informers, clusters, info, renew, signal }: Connected): Promise<void> {
  const { driver, store, names, identity, clock, log, random } = context;
  return keepCredentials({
    issuer: driver,
    connection: { hub, informers, signal },
    store,
    endpoint: info.endpoint,
    names,
    storeNotes: true,
    onStored: renew,
    async onCondition(condition: DriverCondition) {
      const cluster = clusters.get(identity.clusterName);
      if (cluster) await applyConditions(clusters, cluster, [condition], { clock, signal, observedGeneration: false });
    },
    clock,
    log,
    random,
  });
}

/** Gives the hub to the other parts of the process once it showed the ManagedCluster, also one that is not there. */
async function handOutWhenSynced({ context, clusters, signal }: Connected): Promise<void> {
  await clusters.whenSynced({ signal, timeoutMs: syncTimeoutMs }).then(
    () => context.session.handOut(),
    (error: unknown) => {
      if (!signal.aborted) throw error;
    },
  );
}

/** Leaves a hub that denies the cluster or does not answer, for another. */
function watchOneOfManyHubs(
  { options, send, clock, log }: AgentContext,
  { endpoint: { server } }: PhaseScope,
  { check }: WatchedConnection,
  signal: AbortSignal,
): HubWatch {
  return watchHub({
    timeoutMs: options.hubConnectionTimeoutSeconds * 1000,
    async check() {
      const state = await check();
      return state.connected ? { kind: 'open' } : { kind: 'unavailable', message: state.message };
    },
    onLost: (message) => send({ type: 'hubLost', server, message }),
    clock,
    log,
    signal,
  });
}

function controllersOf(connected: Connected): Controller[] {
  const { context, hub, informers, clusters, spokeInformers, info, hubWatch, signal } = connected;
  const { identity, gates, driver, clock, random } = context;
  const { clusterName } = identity;
  const addonEndpoint = () => driver.addonEndpoint?.(info.endpoint()) ?? info.endpoint();
  const addons = { ...context, hub, informers, clusters, spokeInformers, endpoint: addonEndpoint, signal };
  return [
    managedClusterController({ hub, clusters, description: context.description, clock }),
    leaseController({ hub, clusters, clusterName, onBeat: () => hubWatch?.contacted(), clock, random }),
    clusterStatus(connected),
    ...(gates.AddonManagement ? addonControllers(addons) : []),
  ];
}

function clusterStatus({ context, scope, clusters, spokeInformers, hubEvents }: Connected): Controller {
  const { options, gates, identity, spoke, clock } = context;
  const namespaceLabel = managedNamespaceLabel(scope.endpoint.server);
  return statusController({
    spoke,
    clusters,
    clusterName: identity.clusterName,
    nodes: spokeInformers.resource(nodes, { transform: keepNodeResources }),
    namespaces: spokeInformers.resource(namespaces, { labelSelector: `${namespaceLabel}=true` }),
    namespaceLabel,
    ...(gates.ClusterClaim && { claims: spokeInformers.resource(clusterClaims) }),
    ...(gates.ClusterProperty && { properties: spokeInformers.resource(clusterProperties) }),
    claimLimits: {
      maxCustomClaims: options.maxCustomClusterClaims,
      reservedSuffixes: options.reservedClusterClaimSuffixes,
      ...(options.reportClusterId && { identity }),
    },
    healthCheckPeriodMs: options.clusterHealthCheckPeriodMs,
    events: hubEvents,
    clock,
  });
}
