import {
  type ClusterClaim,
  LogReason,
  type ManagedCluster,
  ManagedClusterCondition,
  ManagedClusterReason,
  type ManagedClusterStatus,
} from '@flotilla/api-types';
import {
  after,
  type CachedResource,
  type Clock,
  type Controller,
  defineController,
  done,
  type EventRecorder,
  findCondition,
  type Informer,
  isConditionTrue,
  type KubeClient,
  KubeError,
  on,
  type Watch,
} from '@flotilla/kube';
import { type MonotonicTime, msBetween, timeAfter } from '@flotilla/kube/clock';
import { isConditionFalse, setCondition } from '@flotilla/kube/conditions';
import type { Namespace, Node } from '@flotilla/kube/kinds';
import { semanticEqual } from '@flotilla/kube/meta';
import type { Condition } from '@flotilla/schema';
import { map, NEVER, type Observable } from 'rxjs';
import { type Availability, AvailabilityProbe } from './availability.ts';
import { type ClaimLimits, type ClusterProperty, selectClaims } from './claims.policy.ts';
import { applyManagedNamespaces } from './managed-namespaces.ts';
import { onOptionalKind } from './optional-kind.ts';
import { resourceStatus } from './resources.policy.ts';

/** What the status report needs. */
export interface StatusControllerOptions {
  readonly spoke: KubeClient;
  readonly clusters: CachedResource<ManagedCluster>;
  readonly clusterName: string;
  readonly nodes: Informer<Node>;
  readonly namespaces: CachedResource<Namespace>;
  readonly namespaceLabel: string;
  /** Absent if the gate is off. */
  readonly claims?: Informer<ClusterClaim>;
  readonly properties?: Informer<ClusterProperty>;
  readonly claimLimits: ClaimLimits;
  readonly healthCheckPeriodMs: number;
  readonly events: EventRecorder;
  readonly clock: Clock;
  /** Whether the API server of the cluster answers. Default: asks it with each report. */
  readonly health?: ClusterHealth;
}

/** Observes the API server of a cluster. */
export interface ClusterHealth {
  check(signal: AbortSignal): Promise<Availability>;
  /** Emits when `check` would answer something else than before. */
  readonly changes: Observable<void>;
}

/** Reports joined, available, version, resources, claims and managed namespaces of the cluster, in one write and only on change. */
export function statusController(options: StatusControllerOptions): Controller {
  const { spoke, clusters, clusterName, nodes, namespaces, claims, properties, clock, healthCheckPeriodMs } = options;
  const health = options.health ?? { check: probeOf(spoke, clock), changes: NEVER };
  const toCluster = () => clusterName;
  const corrections = new CorrectionLimiter(clock, healthCheckPeriodMs);

  return defineController({
    name: 'cluster-status',
    watches: [
      on(clusters),
      whenReachable(
        options,
        on(nodes, toCluster, (change) => change.type !== 'updated' || !sameNode(change.object, change.previous)),
      ),
      whenReachable(options, on(namespaces, toCluster)),
      on(health.changes.pipe(map(toCluster))),
      ...(claims ? [whenReachable(options, onOptionalKind(claims, clusterName))] : []),
      ...(properties ? [whenReachable(options, onOptionalKind(properties, clusterName))] : []),
    ],
    async reconcile(name, { signal, log }) {
      const cluster = clusters.get(name);
      if (!cluster) return done;
      const conditions = cluster.status?.conditions;
      if (!isConditionTrue(conditions, ManagedClusterCondition.HubAccepted)) {
        log.debug('the hub has not accepted the cluster', { event: LogReason.ManagedClusterIsNotAccepted });
        return done;
      }
      const delayMs = corrections.delayMs(conditions);
      if (delayMs > 0) return after(delayMs, 'the hub takes the cluster for lost because clocks differ');
      if (isConditionFalse(conditions, ManagedClusterCondition.ClockSynced)) {
        log.warn('the clocks of hub and cluster differ: set the clock of the cluster right (NTP)', {
          event: LogReason.ClockOutOfSync,
        });
      }
      const { status, waitMs, failure } = await observe(options, health, cluster, signal);
      const changed = changedFields(cluster.status ?? {}, status);
      if (Object.keys(changed).length > 0) {
        const { uid, resourceVersion } = cluster.metadata ?? {};
        const body = { metadata: { uid, resourceVersion }, status: changed };
        await clusters.status.patch(name, { type: 'merge', body }, { signal });
        recordAvailability(options, cluster, status);
      }
      // What was found out before is written all the same.
      if (failure) throw failure;
      return after(waitMs, 'next status report');
    },
  });
}

/** A cluster that is observed from outside is reported unavailable also if its caches were never filled. */
const whenReachable = ({ health }: StatusControllerOptions, watch: Watch): Watch =>
  health ? { ...watch, whenSynced: async () => {} } : watch;

function probeOf(spoke: KubeClient, clock: Clock): ClusterHealth['check'] {
  const probe = new AvailabilityProbe(spoke, clock);
  return (signal) => probe.check(signal);
}

/** The status as far as it is known, and when to report again. */
async function observe(
  options: StatusControllerOptions,
  health: Pick<ClusterHealth, 'check'>,
  cluster: ManagedCluster,
  signal: AbortSignal,
) {
  const { spoke, clusterName, nodes, namespaces, claims, properties, clock, healthCheckPeriodMs } = options;
  const now = clock.now();
  const joined = { type: ManagedClusterCondition.Joined, status: 'True' as const };
  let status: ManagedClusterStatus = {
    ...cluster.status,
    conditions: [
      ...setCondition(
        cluster.status?.conditions,
        { ...joined, reason: ManagedClusterReason.Joined.ManagedClusterJoined, message: 'Managed cluster joined' },
        now,
      ),
    ],
  };
  const availability = await health.check(signal);
  if (availability.condition) {
    status.conditions = [...setCondition(status.conditions, availability.condition, now)];
  }
  // An API server that fails has nothing to say about nodes and claims.
  if (!availability.healthy) return { status, waitMs: availability.retryMs };
  const version = await serverVersion(spoke, signal).catch((error: unknown) => KubeError.from(error));
  if (version instanceof KubeError) {
    const message = `unable to get server version of managed cluster "${clusterName}"`;
    return { status, waitMs: 0, failure: KubeError.from(version, message) };
  }
  if (nodes.synced) status = { ...status, ...resourceStatus(status, nodes.list(), version) };
  if ([claims, properties].some((source) => source?.synced)) {
    const selected = selectClaims(claims?.list() ?? [], properties?.list() ?? [], options.claimLimits);
    status.clusterClaims = selected.claims;
  }
  if (namespaces.synced) {
    const { applied, failure } = await applyManagedNamespaces(cluster, {
      namespaces,
      label: options.namespaceLabel,
      now,
    });
    if (applied) status.managedNamespaces = applied;
    if (failure) return { status, waitMs: 0, failure };
  }
  return { status, waitMs: healthCheckPeriodMs };
}

function recordAvailability(
  { clusterName, events }: StatusControllerOptions,
  cluster: ManagedCluster,
  status: ManagedClusterStatus,
): void {
  const { Available } = ManagedClusterCondition;
  const before = findCondition(cluster.status?.conditions, Available)?.status;
  const now = findCondition(status.conditions, Available)?.status;
  if (before === now) return;
  const namespace = clusterName;
  const imported = `The ${clusterName} is successfully imported`;
  if (now === 'True') {
    // The words are OCM's own.
    const note = `${imported}, and it is managed by the hub cluster. Its apieserver is available`;
    events.record(cluster, { reason: 'Available', note, namespace });
  } else if (now === 'False') {
    const note = `${imported}. However, its Kube API server is unavailable`;
    events.record(cluster, { type: 'Warning', reason: 'Unavailable', note, namespace });
  }
}

/** A hub that uses the clock of the cluster reports it lost again and again: it is corrected once per status report. */
class CorrectionLimiter {
  readonly #clock: Clock;
  readonly #periodMs: number;
  #allowedAt: MonotonicTime | undefined;

  constructor(clock: Clock, periodMs: number) {
    this.#clock = clock;
    this.#periodMs = periodMs;
  }

  /** Delay before the next correction; 0 if the cluster may report now. */
  delayMs(conditions: readonly Condition[] | undefined): number {
    if (!isConditionFalse(conditions, ManagedClusterCondition.ClockSynced)) return 0;
    const delayMs = this.#allowedAt === undefined ? 0 : msBetween(this.#clock.monotonic(), this.#allowedAt);
    const isLost = findCondition(conditions, ManagedClusterCondition.Available)?.status === 'Unknown';
    if (isLost && delayMs > 0) return delayMs;
    this.#allowedAt = timeAfter(this.#clock.monotonic(), this.#periodMs);
    return 0;
  }
}

const sameNode = (a: Node, b: Node): boolean => semanticEqual([a.spec, a.status], [b.spec, b.status]);

/** The fields of a status that say something else than before; null removes one. */
function changedFields(before: ManagedClusterStatus, next: ManagedClusterStatus): Record<string, unknown> {
  const old: Readonly<Record<string, unknown>> = { ...before };
  return Object.fromEntries(
    Object.entries(next)
      .filter(([field, value]) => !semanticEqual(old[field], value))
      .map(([field, value]) => [field, mergeValue(old[field], value)]),
  );
}

/** In a merge patch, keys of a map that are gone must be named. */
function mergeValue(old: unknown, next: unknown): unknown {
  if (Array.isArray(next)) return next.length === 0 ? null : next;
  if (typeof next !== 'object' || next === null || typeof old !== 'object' || old === null) return next;
  const gone = Object.keys(old).filter((key) => !(key in next));
  return { ...next, ...Object.fromEntries(gone.map((key) => [key, null])) };
}

async function serverVersion(spoke: KubeClient, signal: AbortSignal): Promise<string> {
  const { body } = await spoke.transport.request({ method: 'GET', path: '/version', signal });
  const version: { gitVersion?: string } = JSON.parse(body);
  return version.gitVersion ?? '';
}
