import { clusterClaims, FieldManager, featureGateValues } from '@flotilla/api-types';
import {
  type Clock,
  type Controller,
  createInformers,
  createKubeClient,
  type EventRecorder,
  type Informers,
  type KubeClient,
  type Logger,
  runControllers,
} from '@flotilla/kube';
import { namespaces, nodes } from '@flotilla/kube/kinds';
import { createTransport } from '@flotilla/kube/transport';
import {
  addonDriverChoice,
  addonHealthController,
  addonRegistrationController,
  addonSweepController,
  type BoundDriver,
  clusterProperties,
  keepNodeResources,
  managedNamespaceLabel,
  statusController,
} from '@flotilla/registration-core/agent';
import { type MemberRecord, memberAccess } from '@flotilla/registration-core/push';
import { createWorkAgent, hubHashOf, type WorkAgentOptions } from '@flotilla/work-agent';
import { type HealthTimes, MemberHealth } from '../health/member-health.ts';
import { heartbeatController } from '../heartbeat/heartbeat.controller.ts';
import { defaultReplicaTimes } from '../sharding/replicas.policy.ts';
import { tokenRenewalController } from '../token/token.controller.ts';
import type { HubCaches } from './hub-caches.ts';
import { observeLosses } from './observed-transport.ts';
import { runTogether } from './run-together.ts';

/** What the agents of all members share. */
export interface MemberContext {
  readonly hub: KubeClient;
  readonly caches: HubCaches;
  readonly events: EventRecorder;
  /** By which add-ons may register, in the order of preference. */
  readonly addonDrivers: readonly BoundDriver[];
  /** The auth type for access to the hub's API; that of the first driver if empty. */
  readonly addonAuth: string;
  readonly healthTimes: HealthTimes;
  readonly statusPeriodMs: number;
  readonly work?: WorkAgentOptions;
  readonly featureGates: Readonly<Record<string, boolean>>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
  /** Called when an agent on the member has taken a cluster over. */
  readonly onAgent: (clusterName: string) => Promise<void>;
}

/** One member: its name, and what its Secret says. */
export interface Member {
  readonly clusterName: string;
  readonly record: MemberRecord;
}

/** What one member may use of this process at a time, so that a slow one costs the others nothing. */
const memberLimits = {
  deadlineMs: 20_000,
  connectTimeoutMs: 5000,
  maxInFlight: 32,
  maxAnswerBytes: 64 * 2 ** 20,
} as const;

/** A cache that cannot be filled is waited for, and never a reason to end. */
const syncTimeoutMs = Number.POSITIVE_INFINITY;

/** Runs the agent of one member until the signal aborts: what an agent on the member would do, over a connection from here. */
export async function runMember(context: MemberContext, member: Member, signal: AbortSignal): Promise<void> {
  const { caches, clock, random } = context;
  const { clusterName } = member;
  const log = context.log.child({ cluster: clusterName });
  await using cleanup = new AsyncDisposableStack();
  const access = memberAccess({ secrets: caches.byCluster.secrets.part(clusterName), clusterName, clock });
  cleanup.defer(() => access.close());
  const raw = createTransport({ access, clock, log, random, userAgent: FieldManager.WorkAgent, ...memberLimits });
  const observed = observeLosses(raw);
  cleanup.defer(() => observed.transport.close());
  const spoke = createKubeClient({ transport: observed.transport, clock, log, fieldManager: FieldManager.WorkAgent });
  const spokeInformers = createInformers({ client: spoke, clock, log, random });
  cleanup.defer(() => spokeInformers.close());
  // Over the transport itself: a check that fails must not ask for the next one.
  const health = new MemberHealth({ ...observed, transport: raw, times: context.healthTimes, clock, random });
  // Another replica runs the cluster soon: whatever is still under way then must not reach the member any more.
  const cancelCut = cutWhenAborted(signal, clock, () => void observed.transport.close());
  cleanup.defer(cancelCut);
  const own: Omit<RunningMember, 'signal'> = { context: { ...context, log }, member, spoke, spokeInformers };
  const controls = { clock, log, random, syncTimeoutMs, drainTimeoutMs: defaultReplicaTimes.drainMs };
  await runTogether(
    [
      (running) => health.run(running),
      (running) => runControllers(controllersOf({ ...own, signal: running }, health), { signal: running, ...controls }),
      (running) => workAgentOf({ ...own, signal: running }).run(running),
    ],
    signal,
  );
}

/** Calls back some time after the signal has aborted. Call the result if that is no longer needed. */
function cutWhenAborted(signal: AbortSignal, clock: Clock, cut: () => void): () => void {
  let cancel = () => {};
  const onAbort = () => {
    cancel = clock.schedule(defaultReplicaTimes.drainMs, cut);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return () => {
    signal.removeEventListener('abort', onAbort);
    cancel();
  };
}

interface RunningMember {
  readonly context: MemberContext;
  readonly member: Member;
  readonly spoke: KubeClient;
  readonly spokeInformers: Informers;
  readonly signal: AbortSignal;
}

function workAgentOf({ context, member: { clusterName, record }, spoke }: RunningMember) {
  const { hub, caches, work, clock, log, random } = context;
  return createWorkAgent({
    hub,
    works: caches.byCluster.works.part(clusterName),
    spoke,
    clusterName,
    hubHash: hubHashOf(record.hubServer),
    formerHubHashes: record.formerHubServers.map(hubHashOf),
    ...(work && { options: work }),
    clock,
    log,
    random,
  });
}

function controllersOf(own: RunningMember, health: MemberHealth): Controller[] {
  const { context, member, spoke } = own;
  const { caches, clock, random } = context;
  const { clusterName } = member;
  const clusters = caches.byCluster.clusters.part(clusterName);
  const common = { clusterName, clusters, clock, random };
  return [
    heartbeatController({
      ...common,
      leases: caches.byCluster.leases.part(clusterName),
      onAgent: () => context.onAgent(clusterName),
    }),
    tokenRenewalController({ ...common, secrets: caches.byCluster.secrets.part(clusterName), spoke }),
    clusterStatus(own, health),
    ...addonsOf(own),
  ];
}

function clusterStatus({ context, member, spoke, spokeInformers }: RunningMember, health: MemberHealth): Controller {
  const { caches, events, featureGates, statusPeriodMs, clock } = context;
  const { clusterName, record } = member;
  const gates = featureGateValues('spoke-registration', featureGates);
  const namespaceLabel = managedNamespaceLabel(record.hubServer);
  const clusters = caches.byCluster.clusters.part(clusterName);
  return statusController({
    spoke,
    clusters,
    clusterName,
    nodes: spokeInformers.resource(nodes, { transform: keepNodeResources }),
    namespaces: spokeInformers.resource(namespaces, { labelSelector: `${namespaceLabel}=true` }),
    namespaceLabel,
    ...(gates.ClusterClaim && { claims: spokeInformers.resource(clusterClaims) }),
    ...(gates.ClusterProperty && { properties: spokeInformers.resource(clusterProperties) }),
    claimLimits: { maxCustomClaims: 20, reservedSuffixes: [] },
    healthCheckPeriodMs: statusPeriodMs,
    events,
    clock,
    health,
  });
}

function addonsOf({ context, member, spoke, spokeInformers, signal }: RunningMember): Controller[] {
  const { hub, caches, addonDrivers, addonAuth, clock, log, random } = context;
  const { clusterName, record } = member;
  const { hubServer, hubCa } = record;
  const addons = caches.byCluster.addons.part(clusterName);
  const endpoint = {
    name: 'hub',
    server: hubServer,
    ...(hubCa !== undefined && { caData: Buffer.from(hubCa).toString('base64') }),
  };
  const identity = { clusterName, agentName: 'push-agents' };
  const choice = addonDriverChoice(addonDrivers, addonAuth);
  return [
    addonRegistrationController({
      identity,
      addonDrivers: choice,
      driver: {},
      hub,
      informers: caches.informers,
      requests: () => caches.requestsOf(clusterName),
      addons,
      clusters: caches.byCluster.clusters.part(clusterName),
      management: spoke,
      spoke,
      spokeInformers,
      endpoint: () => endpoint,
      clock,
      log,
      random,
      signal,
    }),
    addonSweepController({ identity, addonDrivers: choice, addons, management: spoke, spoke }),
    addonHealthController({ addons, management: spoke, spoke, clock }),
  ];
}
