import {
  Annotation,
  Finalizer,
  LogReason,
  type ManagedCluster,
  ManagedClusterCondition,
  manifestWorks,
} from '@flotilla/api-types';
import {
  addFinalizer,
  applyConditions,
  isConditionTrue,
  isDeleting,
  KubeError,
  type Logger,
  removeFinalizer,
} from '@flotilla/kube';
import type { Namespace } from '@flotilla/kube/kinds';
import { formatTime } from '@flotilla/kube/meta';
import type { KubeObject } from '@flotilla/schema';
import { acceptedAuthAnnotation } from '../../contract/index.ts';
import { ensure, ensureAbsent, release } from '../apply.ts';
import { byNamespace, type HubDeps } from '../deps.ts';
import {
  accepted,
  acceptFailed,
  authTypeConditions,
  denied,
  messagesOf,
  nameRefused,
  waitsForWorks,
} from './acceptance.status.ts';
import { type AcceptedDrivers, acceptedDrivers } from './accepted-drivers.policy.ts';
import {
  clusterNamespace,
  clusterPermissions,
  hasSharedRole,
  isAcceptedRole,
  namespacePermissions,
  type PermissionOptions,
  permissionKeys,
} from './permissions.ts';

/** Whether an administrator accepts the cluster now: it has no role yet, or that of a denied cluster. */
function isNewAcceptance({ clusterRoles }: HubDeps, name: string): boolean {
  const role = clusterRoles.get(permissionKeys(name).clusterRole);
  return !(role && isAcceptedRole(name, role));
}

/** What tells by which drivers a cluster was accepted. */
type DriverFacts = Pick<HubDeps, 'drivers' | 'namespaces' | 'clusterRoleBindings'>;

/** By which drivers the cluster may register, from what the hub wrote about it. */
export function driversOf(deps: DriverFacts, cluster: ManagedCluster, isNew: boolean): AcceptedDrivers {
  const { drivers, namespaces, clusterRoleBindings } = deps;
  const name = cluster.metadata?.name ?? '';
  const [namespace, binding] = [namespaces.get(name), clusterRoleBindings.get(permissionKeys(name).clusterRole)];
  return acceptedDrivers(cluster, { drivers, namespace, binding, isNew });
}

/** Creates the namespace of an accepted cluster and its permissions, and reports whether all of it is there. */
export async function accept(deps: HubDeps, name: string, cluster: ManagedCluster, log: Logger): Promise<void> {
  const { clusters, clock } = deps;
  const isNew = isNewAcceptance(deps, name);
  const choice = driversOf(deps, cluster, isNew);
  const [failures, held] = await Promise.all([
    tryTogether([() => ensureNamespace(deps, name, choice.record, isNew)]),
    addFinalizer(clusters, cluster, Finalizer.ApiResourceCleanup),
  ]);
  // The newest may differ from the cached one; then its event is on the way.
  if (!held || isDeleting(held) || !held.spec?.hubAcceptsClient) return;
  // The record comes first: permissions without it would be those of an earlier acceptance at the next reconcile.
  if (failures.length === 0) {
    failures.push(...(await createPermissions(deps, name, { drivers: choice.drivers, labels: deps.options.labels })));
  }
  const conditions = [failures.length > 0 ? acceptFailed(failures) : accepted, ...authTypeConditions(held, choice)];
  const { written } = await applyConditions(clusters, held, conditions, { clock, observedGeneration: false });
  throwAny(failures);
  if (!written || isConditionTrue(held.status?.conditions, ManagedClusterCondition.HubAccepted)) return;
  const reason = LogReason.ManagedClusterAccepted;
  log.info(`managed cluster ${name} is accepted by hub cluster admin`, { reason });
}

/**
 * Creates the namespace of a cluster, and records on it by which drivers the cluster was accepted. A namespace outlives its cluster, so a
 * new acceptance removes the record of an earlier one.
 */
async function ensureNamespace(deps: HubDeps, name: string, record: string | undefined, isNew: boolean): Promise<void> {
  const { namespaces, options } = deps;
  const namespace = await ensure(namespaces, clusterNamespace(name, options.labels, record));
  if ((record !== undefined || isNew) && recordIn(namespace) !== record) await writeRecord(deps, name, record);
}

const recordIn = ({ metadata }: Namespace): string | undefined => metadata?.annotations?.[acceptedAuthAnnotation];

async function writeRecord({ namespaces }: HubDeps, name: string, record: string | undefined): Promise<void> {
  // Read anew: its label may have been written a moment ago.
  const current = await namespaces.find(name);
  if (!current || recordIn(current) === record) return;
  const { [acceptedAuthAnnotation]: _, ...others } = current.metadata?.annotations ?? {};
  const annotations = record === undefined ? others : { ...others, [acceptedAuthAnnotation]: record };
  await namespaces.replace({ ...current, metadata: { ...current.metadata, annotations } });
}

async function createPermissions(deps: HubDeps, name: string, options: PermissionOptions): Promise<unknown[]> {
  const { clusterRoles, clusterRoleBindings, roleBindings } = deps;
  const outside = clusterPermissions(name, 'accepted', options);
  const inside = namespacePermissions(name, options);
  // A role that is not there cannot be bound.
  const failures = await tryTogether([() => ensure(clusterRoles, outside.role)]);
  const more = await tryTogether([
    () => ensure(clusterRoleBindings, outside.binding),
    () => ensure(roleBindings, inside.registration),
    () => ensure(roleBindings, inside.work),
  ]);
  return [...failures, ...more];
}

/** Reduces the permissions of a denied cluster to reading that it is denied. */
export async function deny(deps: HubDeps, name: string, cluster: ManagedCluster, log: Logger): Promise<void> {
  const { clusters, clusterRoles, clusterRoleBindings, clock } = deps;
  const { drivers } = driversOf(deps, cluster, false);
  const outside = clusterPermissions(name, 'denied', { drivers, labels: deps.options.labels });
  const failures = await tryTogether([() => ensure(clusterRoles, outside.role), ...namespaceRemovals(deps, name)]);
  const more = await tryTogether([
    () => ensure(clusterRoleBindings, outside.binding),
    () => releaseWorkBinding(deps, name),
  ]);
  throwAny([...failures, ...more]);
  const { written } = await applyConditions(clusters, cluster, [denied], { clock, observedGeneration: false });
  if (!written) return;
  log.info(`managed cluster ${name} is denied by hub cluster admin`, { reason: LogReason.ManagedClusterDenied });
}

/** Removes the permissions of a cluster that is being deleted; its finalizer waits for its works. */
export async function remove(deps: HubDeps, name: string, cluster: ManagedCluster): Promise<void> {
  const { clusters, clock } = deps;
  const mayFinishWorks = cluster.spec?.hubAcceptsClient === true;
  const left = await removePermissions(deps, name, mayFinishWorks);
  if (left.length === 0) await removeFinalizer(clusters, cluster, Finalizer.ApiResourceCleanup);
  else
    await applyConditions(clusters, cluster, [waitsForWorks(cluster, left, mayFinishWorks)], {
      clock,
      observedGeneration: false,
    });
}

/** Removes all permissions. Those for works stay until no work is left, if the agent `mayFinishWorks`. Returns the works that are left. */
export async function removePermissions(
  deps: HubDeps,
  name: string,
  mayFinishWorks: boolean,
): Promise<readonly string[]> {
  const { clusterRole } = permissionKeys(name);
  const namespace = deps.namespaces.get(name);
  const failures = await tryTogether([
    // A namespace `work` that was labelled or held works must not take the role from the agents of all clusters.
    ...(hasSharedRole(name) ? [] : [() => ensureAbsent(deps.clusterRoles, clusterRole)]),
    () => ensureAbsent(deps.clusterRoleBindings, clusterRole),
    ...namespaceRemovals(deps, name),
    ...(namespace && recordIn(namespace) !== undefined ? [() => writeRecord(deps, name, undefined)] : []),
  ]);
  throwAny(failures);
  const left = (await worksIn(deps, name)).map(({ metadata }) => metadata?.name ?? '');
  if (left.length === 0 || !mayFinishWorks) await releaseWorkBinding(deps, name);
  return left.sort();
}

/** Accepts a cluster without an administrator, once in its life. */
export async function autoAccept({ clusters, clock }: HubDeps, name: string, cluster: ManagedCluster): Promise<void> {
  const annotations = { [Annotation.AutomaticallyAcceptedOn]: formatTime(clock.now()) };
  const spec = cluster.spec?.hubAcceptsClient ? undefined : { hubAcceptsClient: true };
  await clusters.patch(name, { type: 'merge', body: { metadata: { annotations }, spec } });
}

/** Reports that the name of a cluster cannot be used. */
export async function refuseName(deps: HubDeps, name: string, cluster: ManagedCluster): Promise<void> {
  if (hasSharedRole(name)) await removePermissions(deps, name, false);
  await applyConditions(deps.clusters, cluster, [nameRefused(name)], { clock: deps.clock, observedGeneration: false });
}

function namespaceRemovals({ roleBindings }: HubDeps, name: string): (() => Promise<void>)[] {
  const { registrationBinding, workBinding } = permissionKeys(name);
  return [registrationBinding, workBinding].map((key) => () => ensureAbsent(roleBindings, key));
}

async function releaseWorkBinding({ roleBindings }: HubDeps, name: string): Promise<void> {
  const binding = roleBindings.get(permissionKeys(name).workBinding);
  if (binding) await release(roleBindings, binding, Finalizer.ManifestWorkCleanup);
}

/** The works of a cluster. A hub without works does not serve the kind, and its cache never syncs. */
async function worksIn({ works, client }: HubDeps, namespace: string): Promise<readonly KubeObject[]> {
  if (works.synced) return works.byIndex(byNamespace, namespace);
  try {
    return (await client.metadata(manifestWorks).list({ namespace })).items;
  } catch (error) {
    if (KubeError.is(error, 'NotFound')) return [];
    throw error;
  }
}

/** Begins all steps in their order, waits for all of them, and gives what went wrong. */
async function tryTogether(steps: readonly (() => Promise<unknown>)[]): Promise<unknown[]> {
  const answers = await Promise.allSettled(steps.map((step) => step()));
  return answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
}

function throwAny(failures: readonly unknown[]): void {
  if (failures.length > 0) throw new AggregateError(failures, messagesOf(failures));
}
