import { clusterClaims, type ManagedCluster, managedClusters } from '@flotilla/api-types';
import {
  applyConditions,
  type CachedResource,
  type Controller,
  createEventRecorder,
  createInformers,
  createKubeClient,
  events,
  type Informers,
  namespaces,
  nodes,
  runControllers,
} from '@flotilla/kube';
import type { DriverCondition, StoredCredentials } from '../contract/index.ts';
import { isAccepted, watchAcceptance } from './acceptance-watch.ts';
import { addonControllers } from './addons/addon.controllers.ts';
import { additionalData } from './bootstrapping.ts';
import { watchConnection } from './connection-watch.ts';
import type { AgentContext, PhaseScope } from './context.ts';
import { keepCredentials } from './credentials/credential-loop.ts';
import { endpointOf } from './credentials/hub-kubeconfig.ts';
import { storedAccess } from './credentials/stored-access.ts';
import { watchFailures } from './failures.ts';
import { addressFallback } from './hub-info/address-fallback.ts';
import { announcedServerKey } from './hub-info/announced.ts';
import { followHubInfo } from './hub-info/follow-hub-info.ts';
import { hubKnowledge } from './hub-info/hub-knowledge.ts';
import { watchHub } from './hubs/hub-watch.ts';
import { ensureManagedCluster } from './join/ensure-managed-cluster.ts';
import { leaseController } from './lease/lease.controller.ts';
import { reopenable } from './reopenable.ts';
import { clusterProperties } from './status/claims.policy.ts';
import { hubHash, managedNamespaceLabel } from './status/managed-namespaces.ts';
import { stripNode } from './status/resources.policy.ts';
import { statusController } from './status/status.controller.ts';

/** A cache that cannot be filled (not yet accepted, kind not installed) is waited for, and never a reason to end. */
const syncTimeoutMs = 24 * 3_600_000;

/** Works with stored credentials: heartbeat, status, add-ons and renewal, from the first answer until the connection ends. */
export async function runConnected(context: AgentContext, scope: PhaseScope, stored: StoredCredentials): Promise<void> {
  const { clock, log, random, driver, store, connect, identity, spoke, description, send, onHub } = context;
  const { signal, endpoint } = scope;
  const access = storedAccess(driver, endpoint, stored);
  const watch = watchConnection({ driver, clock, signal, send, stored });
  const wire = connect(access);
  const { transport, reopen } = reopenable(
    watchFailures(wire, {
      onRefusal(refusal) {
        watch.refused(refusal);
        if (refusal.code === 'Forbidden') acceptance.refused();
      },
      onUnreachable: () => fallback.unreachable(),
    }),
  );
  const { clusterName } = identity;
  const { bootstrap } = scope;
  const acceptance = watchAcceptance({ clusterName, bootstrap, connect, reopen, clock, log, random, signal });
  const hub = createKubeClient({ transport, clock, log, fieldManager: 'registration-agent' });
  const hubInformers = createInformers({ client: hub, clock, log, random });
  const spokeInformers = createInformers({ client: spoke, clock, log, random });
  const clusters = hubInformers.resource(managedClusters, { fieldSelector: `metadata.name=${clusterName}` });
  const connection = { hub, informers: hubInformers, signal };
  const check = () => driver.checkConnection({ ...connection, wake() {} });
  const knowledge = hubKnowledge({
    endpoint,
    announced: stored[announcedServerKey],
    trust: (caData) => access.trust(caData),
    save: (changes) => store.write(changes),
    describe: (place) => additionalData(context, place),
    log,
  });
  const fallback = addressFallback({
    server: endpoint.server,
    announced: knowledge.announced,
    check,
    use: (server) => access.moveTo(server),
    clock,
    log,
    signal,
  });
  watch.start({ ...connection, wake() {} });
  const hubWatch = context.gates.MultipleHubs
    ? watchHub({
        timeoutMs: context.options.hubConnectionTimeoutSeconds * 1000,
        async check() {
          const verdict = await check();
          return verdict.usable ? { kind: 'open' } : { kind: 'unavailable', message: verdict.message };
        },
        onLost: (message) => send({ type: 'hubLost', server: endpoint.server, message }),
        clock,
        log,
        signal,
      })
    : undefined;

  let isTold = false;
  const subscription = clusters.changes.subscribe(({ object, type }) => {
    const isIn = type !== 'deleted' && isAccepted(object);
    acceptance.seen(isIn);
    send({ type: isIn ? 'accepted' : 'notAccepted' });
    if (isIn && !isTold) onHub({ identity, access });
    isTold ||= isIn;
    if (type !== 'deleted') hubWatch?.seen(object);
  });
  const tell = async (condition: DriverCondition): Promise<void> => {
    const cluster = clusters.get(clusterName);
    if (cluster) await applyConditions(clusters, cluster, [condition], { clock, signal });
  };
  const recorder = createEventRecorder({
    events: hub.resource(events),
    reportingController: 'klusterlet-agent',
    clock,
    log,
    random,
  });

  try {
    await Promise.all([
      keepCredentials({
        driver,
        connection,
        store,
        additional: () => additionalData(context, knowledge.endpoint()),
        storeNotes: true,
        onStored(next) {
          access.update(next);
          watch.renewed(next);
        },
        onCondition: tell,
        clock,
        log,
        random,
      }),
      followHubInfo({
        // Beside the watch over refusals: that a hub shows this to nobody means nothing.
        hub: createKubeClient({ transport: wire, clock, log }),
        bootstrap: async () => endpointOf(await bootstrap.current()),
        onInfo: knowledge.learn,
        clock,
        log,
        random,
        signal,
      }),
      clusters
        .whenSynced({ signal, timeoutMs: syncTimeoutMs })
        // What an older agent did not tell, or what changed since.
        .then(() => ensureManagedCluster(hub, description, { create: false, log, signal }))
        .catch((error: unknown) => {
          if (!signal.aborted) log.warn('cannot tell the hub about the cluster', { error });
        }),
      runControllers(
        [
          leaseController({
            hub,
            clusters,
            clusterName,
            onBeat: () => hubWatch?.heard(),
            clock,
            random,
          }),
          clusterStatus(context, scope, { clusters, spokeInformers, recorder }),
          ...(context.gates.AddonManagement
            ? addonControllers(context, scope, { hub, hubInformers, endpoint: knowledge.endpoint })
            : []),
        ] satisfies Controller[],
        { signal, clock, log, random, syncTimeoutMs },
      ),
    ]);
  } finally {
    subscription.unsubscribe();
    onHub(undefined);
    await recorder.close();
    hubInformers.close();
    spokeInformers.close();
    access.close();
    await hub.close();
  }
}

interface StatusParts {
  readonly clusters: CachedResource<ManagedCluster>;
  readonly spokeInformers: Informers;
  readonly recorder: ReturnType<typeof createEventRecorder>;
}

function clusterStatus(
  { options, gates, identity, spoke, clock }: AgentContext,
  { endpoint }: PhaseScope,
  { clusters, spokeInformers, recorder }: StatusParts,
): Controller {
  const namespaceLabel = managedNamespaceLabel(hubHash(endpoint.server));
  return statusController({
    spoke,
    clusters,
    clusterName: identity.clusterName,
    nodes: spokeInformers.resource(nodes, { strip: stripNode }),
    namespaces: spokeInformers.resource(namespaces, { labelSelector: `${namespaceLabel}=true` }),
    namespaceLabel,
    ...(gates.ClusterClaim && { claims: spokeInformers.resource(clusterClaims) }),
    ...(gates.ClusterProperty && { properties: spokeInformers.resource(clusterProperties) }),
    claimLimits: {
      maxCustomClaims: options.maxCustomClusterClaims,
      reservedSuffixes: options.reservedClusterClaimSuffixes,
    },
    healthCheckPeriodMs: options.clusterHealthCheckPeriodMs,
    events: recorder,
    clock,
  });
}
