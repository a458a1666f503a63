import { managedClusters } from '@flotilla/api-types';
import { createInformers, createKubeClient, type Informers, type KubeClient, KubeError } from '@flotilla/kube';
import { backoffMs } from '@flotilla/kube/clock';
import type { Transport } from '@flotilla/kube/transport';
import { wrongClockMessage } from '../../certificates/wrong-clock.ts';
import type { BootstrapConnection, HubEndpoint, StoredCredentials } from '../../contract/index.ts';
import { checkOwnCluster } from '../../kube-hub/index.ts';
import { watchFailures } from '../connection/failures.ts';
import { keepCredentials } from '../credentials/credential-loop.ts';
import { WakeSignal } from '../credentials/wake-signal.ts';
import { announcedEndpoint, isStoredFor } from '../hub-endpoint/stored-endpoint.ts';
import { addressFallback } from '../hub-info/address-fallback.ts';
import { watchHub } from '../hubs/hub-watch.ts';
import { type EnsureOutcome, ensureManagedCluster } from '../join/ensure-managed-cluster.ts';
import { readHubEvidence } from '../join/hub-evidence.ts';
import { readJoinRecord } from '../join/join-record.ts';
import { type JoinRecorder, joinRecorder } from '../join/join-recorder.ts';
import { decideRejoin, type RejoinDecision } from '../join/rejoin.policy.ts';
import type { BootstrapReason } from '../state/state.ts';
import type { AgentContext, PhaseScope } from './context.ts';
import { retryUntilDone } from './retry.ts';
import { waitForStored } from './stored-on-hub.ts';

const retry = { baseMs: 1000, maxMs: 30_000 };
/** What only an administrator can fix is watched; this is for hubs on which the bootstrap user cannot watch. */
const obstacleRetry = { baseMs: 10_000, maxMs: 300_000 };
/** How long the hub may take to answer about the stored credentials before new ones are requested. */
const headStartMs = 10_000;

/** Why the agent bootstraps, and with what. */
export interface BootstrappingState {
  readonly reason: BootstrapReason;
  readonly keepCredentials: boolean;
}

/** One connection with the bootstrap credentials, and what its steps share. */
interface Bootstrapping extends AsyncDisposable {
  readonly context: AgentContext;
  readonly scope: PhaseScope;
  readonly reason: BootstrapReason;
  readonly hub: KubeClient;
  readonly informers: Informers;
  readonly recorder: JoinRecorder;
  /** Woken when another attempt may have another outcome. */
  readonly wakeSignal: WakeSignal;
  /** Watches the ManagedCluster from the first obstacle on: most clusters meet none. */
  readonly watchCluster: () => void;
}

/**
 * Two loops, until there are usable credentials: one tries the stored ones again and again, the other registers the cluster with the
 * bootstrap credentials and asks for new ones. The stored ones are tried first; from then on neither waits for the other, or ends
 * because the other failed.
 */
export async function runBootstrapping(
  context: AgentContext,
  scope: PhaseScope,
  state: BootstrappingState,
): Promise<void> {
  const { signal } = scope;
  const firstRefusal = new WakeSignal(context.clock);
  const registering = async (): Promise<void> => {
    await firstRefusal.wait(headStartMs, signal);
    // A driver that cannot open its connection or start is tried again here.
    const retrying = { ...context, signal };
    await retryUntilDone('register with the hub', retrying, () => registerAndObtain(context, scope, state));
  };
  await Promise.all([waitForStored(context, scope, firstRefusal.wake), registering()]);
}

/** Asks the hub to accept the cluster and for credentials, with the bootstrap credentials. */
async function registerAndObtain(
  context: AgentContext,
  scope: PhaseScope,
  { reason, keepCredentials: isKeeping }: BootstrappingState,
): Promise<void> {
  const { signal } = scope;
  const { driver, store } = context;
  const stored = await store.read();
  // The bootstrap credentials of this hub must not reach an address that an earlier one announced.
  const announced = isStoredFor(driver, stored, scope.endpoint) ? announcedEndpoint(driver, stored) : undefined;
  if (signal.aborted) return;
  await using bootstrapping = openBootstrapping(context, scope, reason, announced);
  if (context.gates.MultipleHubs) watchOneOfManyHubs(bootstrapping);
  while (!signal.aborted) {
    // Whether a name is free again, only the stored credentials show then.
    const outcome = await registerUntil(bootstrapping, reason !== 'NameTaken');
    if (signal.aborted) return;
    if (isKeeping) return context.send({ type: 'credentialsUsable' });
    await obtainCredentials(bootstrapping, outcome);
  }
}

function openBootstrapping(
  context: AgentContext,
  scope: PhaseScope,
  reason: BootstrapReason,
  announced: HubEndpoint | undefined,
): Bootstrapping {
  const { clock, log, random, store, changes } = context;
  const { bootstrap } = scope;
  const connection = bootstrap.open();
  const end = new AbortController();
  const signal = AbortSignal.any([scope.signal, end.signal]);
  const transport = withOtherAddress(context, { ...scope, signal }, connection, announced);
  const hub = createKubeClient({ transport, clock, log, fieldManager: 'registration-agent' });
  const informers = createInformers({ client: hub, clock, log, random });
  const wakeSignal = new WakeSignal(clock);
  const subscription = changes.subscribe(wakeSignal.wake);
  let isWatching = false;
  return {
    context,
    // What one attempt starts ends with its connection: the next attempt has another one.
    scope: { ...scope, signal },
    reason,
    hub,
    informers,
    recorder: joinRecorder({ store, bootstrap, log }),
    wakeSignal,
    watchCluster() {
      if (isWatching) return;
      isWatching = true;
      const fieldSelector = `metadata.name=${context.identity.clusterName}`;
      subscription.add(informers.resource(managedClusters, { fieldSelector }).changes.subscribe(wakeSignal.wake));
    },
    async [Symbol.asyncDispose]() {
      end.abort();
      subscription.unsubscribe();
      informers.close();
      await connection.close();
    },
  };
}

/** Moves a connection between the address that the bootstrap source names and what the hub announced, while one does not answer. */
function withOtherAddress(
  { identity, clock, log }: AgentContext,
  { endpoint, signal }: PhaseScope,
  { transport, moveTo }: BootstrapConnection,
  announced: HubEndpoint | undefined,
): Transport {
  const { server } = endpoint;
  const fallback = addressFallback({
    server,
    announced: () => (announced?.server === server ? undefined : announced?.server),
    check: () => checkOwnCluster(createKubeClient({ transport, clock, log }), identity.clusterName, signal),
    use: (address) => moveTo({ ...endpoint, server: address }),
    clock,
    log,
    signal,
  });
  return watchFailures(transport, { onRefusal() {}, onUnreachable: fallback.unreachable });
}

/** Obtains credentials until they are usable. A hub that refused to show the ManagedCluster may show later that the name is taken. */
async function obtainCredentials(bootstrapping: Bootstrapping, outcome: 'known' | 'refused'): Promise<void> {
  const { context, scope, hub, informers } = bootstrapping;
  const { driver, store, names, changes, clock, log, random } = context;
  const obtaining = new AbortController();
  const both = new AbortController();
  const signal = AbortSignal.any([scope.signal, both.signal]);
  const registering = { ...bootstrapping, scope: { ...scope, signal } };
  const parts = [
    outcome === 'known' ? undefined : registerUntil(registering, false, () => obtaining.abort()),
    keepCredentials({
      issuer: driver,
      connection: { hub, informers, signal: AbortSignal.any([signal, obtaining.signal]) },
      store,
      endpoint: () => scope.endpoint,
      names,
      startEmpty: true,
      storeNotes: true,
      retryOn: changes,
      onStored: (stored) => observeObtained(context, stored),
      onWaiting: (why) => log.info('waiting for the hub', { why }),
      clock,
      log,
      random,
    }),
  ];
  try {
    await Promise.all(parts);
  } finally {
    // The connection ends with the part that failed.
    both.abort();
    await Promise.allSettled(parts);
  }
}

function observeObtained({ driver, send, report, clock, log }: AgentContext, stored: StoredCredentials): void {
  const state = driver.evaluate(stored);
  if (state.usable) {
    report({ credentialsFailed: undefined });
    send({ type: 'credentialsUsable' });
    return;
  }
  const message =
    state.reason === 'Expired'
      ? wrongClockMessage(state.message, clock.now())
      : `the credentials that the hub issued cannot be used: ${state.message}`;
  log.warn('cannot use what the hub issued', { why: message });
  report({ credentialsFailed: message });
}

/**
 * Tries to register the cluster until the hub knows it or, if that is enough, refuses to say. Nothing is asked for under a name that
 * may be taken.
 */
async function registerUntil(
  bootstrapping: Bootstrapping,
  isRefusalEnough: boolean,
  onObstacle = () => {},
): Promise<'known' | 'refused'> {
  const { context, scope, reason, wakeSignal } = bootstrapping;
  for (let failures = 1; !scope.signal.aborted; failures += 1) {
    const outcome = await register(bootstrapping);
    if (outcome === 'known' || (outcome === 'refused' && isRefusalEnough)) return outcome;
    if (outcome === 'obstacle') onObstacle();
    const isForAdministrator = outcome === 'obstacle' || reason === 'NameTaken';
    const waitMs = backoffMs(isForAdministrator ? obstacleRetry : retry, failures, context.random());
    if (await wakeSignal.wait(waitMs, scope.signal)) failures = 0;
  }
  return 'refused';
}

/** One attempt to register the cluster. `known`: it is registered, and the name is this cluster's. */
async function register(bootstrapping: Bootstrapping): Promise<'known' | 'refused' | 'obstacle' | 'failed'> {
  const { context, scope, hub, recorder } = bootstrapping;
  const { log, description, send, report } = context;
  const { signal } = scope;
  try {
    const decide = () => rejoinDecision(bootstrapping);
    const outcome = await ensureManagedCluster(hub, description, { decide, log, signal });
    if (outcome.kind === 'absent') return 'failed';
    if (!('cluster' in outcome)) return reportObstacle(bootstrapping, outcome);
    await recorder.observe(outcome.cluster);
    report({ registrationFailed: undefined });
    send({ type: 'obstacleGone' });
    return 'known';
  } catch (error) {
    const caught = KubeError.from(error);
    if (signal.aborted) return 'failed';
    log.warn('cannot ask the hub to accept the cluster', { error: caught });
    // Anything else may end by itself.
    report({ registrationFailed: caught.code === 'Config' ? caught.message : undefined });
    return 'failed';
  }
}

function reportObstacle(
  { context: { log, send }, watchCluster }: Bootstrapping,
  { kind, message }: Extract<EnsureOutcome, { message: string }>,
): 'refused' | 'obstacle' {
  log.warn('cannot ask the hub to accept the cluster', { obstacle: kind, why: message });
  if (kind === 'refused') return 'refused';
  watchCluster();
  send({ type: 'obstacleFound', obstacle: { reason: kind === 'taken' ? 'NameTaken' : 'Removed', message } });
  return 'obstacle';
}

/** Whether to create a ManagedCluster that is not there. */
async function rejoinDecision({ context, scope, reason, hub }: Bootstrapping): Promise<RejoinDecision> {
  const { store, driver, identity } = context;
  const record = readJoinRecord(await store.read(), identity.clusterName);
  return decideRejoin(record, {
    bootstrapReason: reason,
    bootstrap: (await scope.bootstrap.current()).fingerprint,
    evidence: record ? await readHubEvidence(hub, driver, identity.clusterName, scope.signal) : {},
  });
}

/** Leaves a hub that denies the cluster or does not answer, for another. */
function watchOneOfManyHubs({ context, scope, hub }: Bootstrapping): void {
  const { driver, options, send, clock, log } = context;
  const { signal, endpoint } = scope;
  watchHub({
    timeoutMs: options.hubConnectionTimeoutSeconds * 1000,
    check: () => driver.checkBootstrap(hub, signal),
    onLost: (message) => send({ type: 'hubLost', server: endpoint.server, message }),
    clock,
    log,
    signal,
  });
}
