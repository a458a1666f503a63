import { managedClusters } from '@flotilla/api-types';
import { createInformers, createKubeClient, type Informers, type KubeClient, KubeError } from '@flotilla/kube';
import { backoffMs } from '@flotilla/kube/clock';
import { keepCredentials } from '../credentials/credential-loop.ts';
import { WakeSignal } from '../credentials/wake-signal.ts';
import { watchHub } from '../hubs/hub-watch.ts';
import { type EnsureOutcome, ensureManagedCluster } from '../join/ensure-managed-cluster.ts';
import { readHubEvidence } from '../join/hub-evidence.ts';
import { readJoinRecord } from '../join/join-record.ts';
import { type JoinRecorder, joinRecorder } from '../join/join-recorder.ts';
import { decideRejoin, type RejoinDecision } from '../join/rejoin.policy.ts';
import type { BootstrapReason } from '../state/state.ts';
import type { AgentContext, PhaseScope } from './context.ts';

const retry = { baseMs: 1000, maxMs: 30_000 };
/** What only an administrator can fix is watched; this is for hubs on which the bootstrap user cannot watch. */
const obstacleRetry = { baseMs: 10_000, maxMs: 300_000 };

/** Why the agent bootstraps, and with what. */
export interface BootstrappingState {
  readonly reason: BootstrapReason;
  readonly keepCredentials: boolean;
}

/** One connection with the bootstrap credentials, and what its steps share. */
interface Bootstrapping {
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

/** Asks the hub to accept the cluster and for credentials, with the bootstrap credentials, until there are some. */
export async function runBootstrapping(
  context: AgentContext,
  scope: PhaseScope,
  { reason, keepCredentials: isKeeping }: BootstrappingState,
): Promise<void> {
  const { clock, log, random, store, send, changes } = context;
  const { signal, bootstrap } = scope;
  const connection = bootstrap.open();
  const hub = createKubeClient({ transport: connection.transport, clock, log, fieldManager: 'registration-agent' });
  const informers = createInformers({ client: hub, clock, log, random });
  const wakeSignal = new WakeSignal(clock);
  const subscription = changes.subscribe(wakeSignal.wake);
  let isWatching = false;
  const bootstrapping: Bootstrapping = {
    context,
    scope,
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
  };
  if (context.gates.MultipleHubs) watchOneOfManyHubs(bootstrapping);
  try {
    while (!signal.aborted) {
      const outcome = await registerUntil(bootstrapping, true);
      // Only the agent's own credentials show then whether the name is free; there is no hurry.
      if (outcome === 'refused' && reason === 'NameTaken') await wakeSignal.wait(obstacleRetry.maxMs, signal);
      if (signal.aborted) return;
      if (isKeeping) return send({ type: 'credentialsUsable' });
      await obtainCredentials(bootstrapping, outcome);
    }
  } finally {
    subscription.unsubscribe();
    informers.close();
    await connection.close();
  }
}

/** Obtains credentials until they are usable. A hub that refused to show the ManagedCluster may show later that the name is taken. */
async function obtainCredentials(bootstrapping: Bootstrapping, outcome: 'known' | 'refused'): Promise<void> {
  const { context, scope, hub, informers } = bootstrapping;
  const { driver, store, names, send, changes, clock, log, random } = context;
  const end = new AbortController();
  const signal = AbortSignal.any([scope.signal, end.signal]);
  await Promise.all([
    outcome === 'known' ? undefined : registerUntil(bootstrapping, false, () => end.abort()),
    keepCredentials({
      issuer: driver,
      connection: { hub, informers, signal },
      store,
      endpoint: () => scope.endpoint,
      names,
      startEmpty: true,
      storeNotes: true,
      retryOn: changes,
      onStored: (stored) => {
        if (driver.evaluate(stored).usable) send({ type: 'credentialsUsable' });
      },
      onWaiting: (why) => log.info('waiting for the hub', { why }),
      clock,
      log,
      random,
    }),
  ]);
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
  const { context, scope, wakeSignal } = bootstrapping;
  for (let failures = 1; !scope.signal.aborted; failures += 1) {
    const outcome = await register(bootstrapping);
    if (outcome === 'known' || (outcome === 'refused' && isRefusalEnough)) return outcome;
    if (outcome === 'obstacle') onObstacle();
    const waitMs = backoffMs(outcome === 'obstacle' ? obstacleRetry : retry, failures, context.random());
    if (await wakeSignal.wait(waitMs, scope.signal)) failures = 0;
  }
  return 'refused';
}

/** One attempt to register the cluster. `known`: it is registered, and the name is this cluster's. */
async function register(bootstrapping: Bootstrapping): Promise<'known' | 'refused' | 'obstacle' | 'failed'> {
  const { context, scope, hub, recorder } = bootstrapping;
  const { log, description, send } = context;
  const { signal } = scope;
  try {
    const decide = () => rejoinDecision(bootstrapping);
    const outcome = await ensureManagedCluster(hub, description, { decide, log, signal });
    if (outcome.kind === 'absent') return 'failed';
    if (!('cluster' in outcome)) return reportObstacle(bootstrapping, outcome);
    await recorder.observe(outcome.cluster);
    send({ type: 'obstacleGone' });
    return 'known';
  } catch (error) {
    if (!signal.aborted) log.warn('cannot ask the hub to accept the cluster', { error: KubeError.from(error) });
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
