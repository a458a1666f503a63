import {
  type ManagedCluster,
  ManagedClusterCondition,
  ManagedClusterReason,
  ManifestWorkCondition,
} from '@flotilla/api-types';
import { findCondition } from '@flotilla/kube';
import type { Condition } from '@flotilla/schema';
import { formatAge } from '../../output/table.ts';
import { conditionOf, isCurrent, isTaken } from '../work-state.ts';
import type { WorkFacts } from './facts.ts';

/** One place that a work passes. `state` is text; the rest is the same as data. */
export type Link =
  | {
      readonly where: 'hub';
      readonly state: string;
      readonly generation: number;
      readonly created?: string;
      readonly deleted?: string;
    }
  | {
      readonly where: 'cluster';
      readonly state: string;
      readonly accepted: boolean;
      /** The status of its condition; absent if there is none. */
      readonly available?: string;
      readonly lastHeartbeat?: string;
    }
  | {
      readonly where: 'agent';
      readonly state: string;
      /** Whether the agent has put its finalizer on the work. */
      readonly taken: boolean;
      readonly conditions: readonly Condition[];
    }
  | {
      readonly where: 'managed';
      readonly state: string;
      readonly appliedManifestWorks: readonly {
        readonly name: string;
        readonly objects: number;
        readonly deleted?: string;
        readonly evictionStartTime?: string;
      }[];
    };

const ago = (time: string | undefined, now: number): string =>
  time ? `${formatAge(time, now)} ago` : 'at a time unknown';

/** What keeps the agent of a cluster from working; empty if nothing does. */
export function clusterError(cluster: ManagedCluster | undefined, name: string): string {
  if (!cluster) return `there is no ManagedCluster ${name}: no agent will take the work`;
  const conditions = cluster.status?.conditions;
  if (!cluster.spec?.hubAcceptsClient) {
    return isDenied(cluster)
      ? 'it was denied on the hub: its agent cannot read works'
      : 'it is not accepted: its agent cannot read works';
  }
  if (!findCondition(conditions, ManagedClusterCondition.Joined)) return 'it has not joined yet';
  const available = findCondition(conditions, ManagedClusterCondition.Available);
  return available?.status === 'True'
    ? ''
    : `Available is ${available?.status ?? 'not reported'}: ${available?.message ?? ''}`;
}

const isDenied = ({ status }: ManagedCluster): boolean =>
  findCondition(status?.conditions, ManagedClusterCondition.HubAccepted)?.reason ===
  ManagedClusterReason.HubAccepted.HubClusterAdminDenied;

function hubLink({ work, now }: WorkFacts): Link {
  const {
    namespace,
    name,
    generation = 0,
    creationTimestamp: created,
    deletionTimestamp: deleted,
  } = work.metadata ?? {};
  const deletion = deleted ? `, deleted ${ago(deleted, now)}` : '';
  const state = `ManifestWork ${namespace}/${name}, generation ${generation}, created ${ago(created, now)}${deletion}`;
  return { where: 'hub', state, generation, ...(created && { created }), ...(deleted && { deleted }) };
}

function clusterLink({ cluster, heartbeat, work, now }: WorkFacts): Link {
  const error = clusterError(cluster, work.metadata?.namespace ?? '');
  const reported = heartbeat ? `; its agent last reported ${ago(heartbeat, now)}` : '';
  const available = findCondition(cluster?.status?.conditions, ManagedClusterCondition.Available)?.status;
  return {
    where: 'cluster',
    state: `${error || 'is accepted and Available'}${reported}`,
    accepted: cluster?.spec?.hubAcceptsClient ?? false,
    ...(available && { available }),
    ...(heartbeat !== undefined && { lastHeartbeat: heartbeat }),
  };
}

function agentLink({ work, now }: WorkFacts): Link {
  const where = 'agent';
  if (!isTaken(work)) {
    return { where, state: 'has not taken the work: its finalizer is missing', taken: false, conditions: [] };
  }
  const conditions = [
    ManifestWorkCondition.Applied,
    ManifestWorkCondition.Available,
    ManifestWorkCondition.Complete,
  ].flatMap((type) => conditionOf(work, type) ?? []);
  const parts = conditions.map((condition) => {
    const old = isCurrent(work, condition) ? '' : `, of generation ${condition.observedGeneration ?? 0}`;
    return `${condition.type} is ${condition.status} for ${formatAge(condition.lastTransitionTime, now)}${old}`;
  });
  const { serviceAccount } = work.spec?.executor?.subject ?? {};
  if (serviceAccount) parts.push(`applies as far as ${serviceAccount.namespace}/${serviceAccount.name} may`);
  const state = parts.length > 0 ? parts.join('; ') : 'has taken the work and reported nothing yet';
  return { where, state, taken: true, conditions };
}

function managedLink({ managed, now }: WorkFacts): Link[] {
  if (!managed) return [];
  const records = managed.appliedWorks.map(({ metadata, status }) => ({
    name: metadata?.name ?? '',
    objects: status?.appliedResources?.length ?? 0,
    ...(metadata?.deletionTimestamp && { deleted: metadata.deletionTimestamp }),
    ...(status?.evictionStartTime && { evictionStartTime: status.evictionStartTime }),
  }));
  const states = records.map(({ name, objects, deleted, evictionStartTime }) => {
    const eviction = evictionStartTime
      ? `, to be removed: its work was first missed ${ago(evictionStartTime, now)}`
      : '';
    const going = deleted ? ', being deleted' : '';
    return `AppliedManifestWork ${name} lists ${objects} ${objects === 1 ? 'object' : 'objects'}${going}${eviction}`;
  });
  const state = states.length > 0 ? states.join('; ') : 'has no AppliedManifestWork of this name';
  return [{ where: 'managed', state, appliedManifestWorks: records }];
}

/** The way of a work from the hub to the managed cluster. */
export const chainOf = (facts: WorkFacts): Link[] => [
  hubLink(facts),
  clusterLink(facts),
  agentLink(facts),
  ...managedLink(facts),
];

/** What to do about a cluster on which no work is applied; undefined if it is well and its agent has taken the work. */
export function clusterAdvice({ cluster, work, heartbeat, now }: WorkFacts): string | undefined {
  const name = work.metadata?.namespace ?? '';
  if (cluster && !cluster.spec?.hubAcceptsClient) {
    return `Accept cluster ${name}: \`flotilla accept --clusters ${name}\`. Until then nothing on it is changed.`;
  }
  const error = clusterError(cluster, name);
  if (error !== '') return `Cluster ${name} is not Available: see \`flotilla get clusters ${name} -o wide\`.`;
  if (isTaken(work)) return undefined;
  const last = heartbeat ? `last reported ${ago(heartbeat, now)}` : 'has not reported';
  return `The agent of ${name} has not taken the work; it ${last}. Check that it still runs, its part for works too, and read its log.`;
}
