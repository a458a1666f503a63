import { type Clock, createEventRecorder, type KubeClient, type Logger, runControllers } from '@flotilla/kube';
import { events } from '@flotilla/kube/kinds';
import type { KitMetrics } from '@flotilla/kube/metrics';
import type { BoundDriver } from '@flotilla/registration-core/agent';
import type { WorkAgentOptions } from '@flotilla/work-agent';
import { defaultHealthTimes, type HealthTimes } from './health/member-health.ts';
import { openHubCaches } from './member/hub-caches.ts';
import { type MemberContext, runMember } from './member/run-member.ts';
import { createMembers, type Members } from './members/members.controller.ts';
import { releaseMember } from './members/release-member.ts';
import type { ReplicaTimes } from './sharding/replicas.policy.ts';
import { aloneAs, joinReplicas } from './sharding/replicas.ts';

/** What the agents of pushed clusters run with. */
export interface RunPushAgentsInput {
  /** The API server of the hub. */
  readonly client: KubeClient;
  /** Of this process, unique among its replicas: the name of a pod. */
  readonly identity: string;
  /** Where replicas find one another by leases. Absent: this process runs all clusters. */
  readonly namespace?: string;
  /** By which add-ons may register, in the order of preference. */
  readonly addonDrivers: readonly BoundDriver[];
  /** The auth type for add-ons that ask for access to the hub's API. Default: that of the first driver. */
  readonly addonAuth?: string;
  readonly healthTimes?: HealthTimes;
  readonly replicaTimes?: ReplicaTimes;
  /** How often version, nodes and claims are reported at the latest. Default a minute. */
  readonly statusPeriodMs?: number;
  readonly work?: WorkAgentOptions;
  /** Of agents, by their OCM names. */
  readonly featureGates?: Readonly<Record<string, boolean>>;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Logger;
  /** Of the caches of the hub. */
  readonly metrics?: KitMetrics;
  /** In [0, 1). */
  readonly random?: () => number;
  /** Called with the number of members that run here, whenever it may have changed. */
  readonly onMembers?: (count: number) => void;
}

/** Runs the agents of all pushed clusters that fall to this replica, until the signal aborts. */
export async function runPushAgents(input: RunPushAgentsInput): Promise<void> {
  const { client, identity, namespace, clock, log, metrics, random = Math.random } = input;
  using caches = openHubCaches({ client, clock, log, ...(metrics && { metrics }) });
  await using recorder = createEventRecorder({
    events: client.resource(events),
    reportingController: 'push-agents',
    clock,
    log,
    random,
  });
  const context: MemberContext = {
    hub: client,
    caches,
    events: recorder,
    addonDrivers: input.addonDrivers,
    addonAuth: input.addonAuth ?? '',
    healthTimes: input.healthTimes ?? defaultHealthTimes,
    statusPeriodMs: input.statusPeriodMs ?? 60_000,
    featureGates: input.featureGates ?? {},
    ...(input.work && { work: input.work }),
    clock,
    log,
    random,
    onAgent: (name) => releaseMember({ clusters: caches.clusters, log }, name),
  };
  const { replicaTimes: times } = input;
  const replicas = namespace
    ? joinReplicas({ client, namespace, identity, ...(times && { times }), clock, log })
    : aloneAs(identity);
  const members = createMembers({
    ...caches,
    identity,
    replicas,
    run: (member, own) => runMember(context, member, own),
    clock,
    log,
    random,
  });
  await runUntilEnd(input, members, replicas.run);
}

/** If one part fails, the others end too: whoever started the process starts it anew. */
async function runUntilEnd(
  { signal, clock, log, onMembers }: RunPushAgentsInput,
  members: Members,
  keepLease: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const end = new AbortController();
  const both = AbortSignal.any([signal, end.signal]);
  // The lease outlives the agents: the others take a cluster over when nothing of it runs here any more.
  const lease = new AbortController();
  const leasing = keepLease(lease.signal);
  const controlling = runControllers([counted(members, onMembers)], { signal: both, clock, log });
  try {
    await Promise.race([leasing, controlling]);
  } finally {
    end.abort();
    await Promise.allSettled([controlling]);
    await members.close();
    lease.abort();
    await leasing;
  }
}

const counted = (
  { controller, count }: Members,
  onMembers: RunPushAgentsInput['onMembers'],
): Members['controller'] => ({
  ...controller,
  async reconcile(key, context) {
    const result = await controller.reconcile(key, context);
    onMembers?.(count());
    return result;
  },
});
