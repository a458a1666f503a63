import {
  Annotation,
  ControllerName,
  Finalizer,
  type KubeObject,
  Label,
  LogReason,
  type ManagedCluster,
  ManagedClusterCondition,
} from '@flotilla/api-types';
import {
  addFinalizer,
  applyConditions,
  type Controller,
  defineController,
  done,
  formatTime,
  isDeleting,
  type Logger,
  on,
  removeFinalizer,
} from '@flotilla/kube';
import { identityUniqueCondition } from '../../contract/index.ts';
import { ensure, ensureAbsent, release } from '../apply.ts';
import { conditionOf, when } from '../changes.ts';
import { byNamespace, type HubDeps } from '../deps.ts';
import { holderOf } from '../identity/identity.policy.ts';
import { decide } from './acceptance.policy.ts';
import { accepted, acceptFailed, denied, messagesOf, waitsForDriver, waitsForWorks } from './acceptance.status.ts';
import { clusterNamespace, clusterPermissions, namespacePermissions, permissionKeys } from './permissions.ts';

const clusterOfLabel = ({ metadata }: KubeObject): string | undefined =>
  metadata?.labels?.[Label.ClusterName] || undefined;

/** Lets clusters in and out: their namespace, their rights on the hub, and what the drivers add to them. */
export function acceptanceController(deps: HubDeps): Controller {
  const { clusters, namespaces, clusterRoles, clusterRoleBindings, roleBindings, works, drivers, clock } = deps;
  const { labels } = deps.options;
  /** Clusters, by name and uid, whose drivers are done in this process. No condition tells it: agents can write conditions. */
  const cleanedUp = new Map<string, string | undefined>();

  /** Lets the drivers clean up once, and not again with every later look at a cluster that is denied or waits for works. */
  const cleanUp = async (name: string, cluster: ManagedCluster): Promise<unknown[]> => {
    const { uid } = cluster.metadata;
    if (cleanedUp.has(name) && cleanedUp.get(name) === uid) return [];
    const failures = await tryTogether(drivers.map((driver) => () => driver.cleanUp(cluster)));
    if (failures.length === 0) cleanedUp.set(name, uid);
    return failures;
  };

  /** Takes all rights away; those for works when none is left. Gives the names of works that are. */
  const removePermissions = async (name: string): Promise<readonly string[]> => {
    const { clusterRole } = permissionKeys(name);
    const failures = await tryTogether([
      () => ensureAbsent(clusterRoles, clusterRole),
      () => ensureAbsent(clusterRoleBindings, clusterRole),
      ...namespaceRemovals(name),
    ]);
    throwAny(failures);
    return releaseWorkBinding(name);
  };

  const namespaceRemovals = (name: string) => {
    const { registrationBinding, workBinding } = permissionKeys(name);
    return [registrationBinding, workBinding].map((key) => () => ensureAbsent(roleBindings, key));
  };

  const releaseWorkBinding = async (name: string): Promise<readonly string[]> => {
    const left = works.byIndex(byNamespace, name).map(({ metadata }) => metadata?.name ?? '');
    if (left.length > 0) return left.sort();
    const binding = roleBindings.get(permissionKeys(name).workBinding);
    if (binding) await release(roleBindings, binding, Finalizer.ManifestWorkCleanup);
    return [];
  };

  const remove = async (name: string, cluster: ManagedCluster): Promise<void> => {
    const failures = await cleanUp(name, cluster);
    if (failures.length > 0) {
      await applyConditions(clusters, cluster, [waitsForDriver(cluster, failures)], { clock });
      throwAny(failures);
    }
    const left = await removePermissions(name);
    if (left.length > 0) await applyConditions(clusters, cluster, [waitsForWorks(cluster, left)], { clock });
    else await removeFinalizer(clusters, cluster, Finalizer.ApiResourceCleanup);
  };

  const autoAccept = async (name: string, cluster: ManagedCluster): Promise<void> => {
    const annotations = { [Annotation.AutomaticallyAcceptedOn]: formatTime(clock.now()) };
    const spec = cluster.spec?.hubAcceptsClient ? undefined : { hubAcceptsClient: true };
    await clusters.patch(name, { type: 'merge', body: { metadata: { annotations }, spec } });
  };

  const accept = async (name: string, cluster: ManagedCluster, log: Logger): Promise<void> => {
    const [failures, held] = await Promise.all([
      tryTogether([() => ensure(namespaces, clusterNamespace(name, labels))]),
      addFinalizer(clusters, cluster, Finalizer.ApiResourceCleanup),
    ]);
    // The newest may say something else than the cache did; then its event is on the way.
    if (!held || isDeleting(held) || !held.spec?.hubAcceptsClient) return;
    cleanedUp.delete(name);
    const outside = clusterPermissions(name, 'accepted', labels);
    const inside = namespacePermissions(name, labels);
    // Nobody may bind a role that is not there.
    failures.push(...(await tryTogether([() => ensure(clusterRoles, outside.role)])));
    const more = await tryTogether([
      () => ensure(clusterRoleBindings, outside.binding),
      () => ensure(roleBindings, inside.registration),
      () => ensure(roleBindings, inside.work),
      ...drivers.map((driver) => () => driver.createPermissions(held)),
    ]);
    failures.push(...more);
    const condition = failures.length > 0 ? acceptFailed(failures) : accepted;
    const { written } = await applyConditions(clusters, held, [condition], { clock });
    throwAny(failures);
    if (written) {
      log.info(`managed cluster ${name} is accepted by hub cluster admin`, {
        reason: LogReason.ManagedClusterAccepted,
      });
    }
  };

  const deny = async (name: string, cluster: ManagedCluster, log: Logger): Promise<void> => {
    const outside = clusterPermissions(name, 'denied', labels);
    const [failures, uncleaned] = await Promise.all([
      tryTogether([() => ensure(clusterRoles, outside.role), ...namespaceRemovals(name)]),
      cleanUp(name, cluster),
    ]);
    const more = await tryTogether([
      () => ensure(clusterRoleBindings, outside.binding),
      () => releaseWorkBinding(name),
    ]);
    throwAny([...failures, ...uncleaned, ...more]);
    const { written } = await applyConditions(clusters, cluster, [denied], { clock });
    if (written) {
      log.info(`managed cluster ${name} is denied by hub cluster admin`, { reason: LogReason.ManagedClusterDenied });
    }
  };

  return defineController({
    name: ControllerName.ManagedCluster,
    watches: [
      on(
        clusters,
        undefined,
        when(
          ({ metadata }) => [metadata?.deletionTimestamp, metadata?.finalizers, metadata?.annotations],
          ({ spec }) => spec?.hubAcceptsClient,
          conditionOf(ManagedClusterCondition.HubAccepted),
          conditionOf(identityUniqueCondition.type),
        ),
      ),
      on(namespaces, clusterOfLabel),
      on(clusterRoles, clusterOfLabel),
      on(clusterRoleBindings, clusterOfLabel),
      on(roleBindings, clusterOfLabel),
      // A binding that waits for works is let go by the last of them.
      on(
        works,
        ({ metadata }) => metadata?.namespace,
        ({ type }) => type === 'deleted',
      ),
    ],
    async reconcile(name, { log }) {
      const cluster = clusters.get(name);
      if (!cluster) {
        cleanedUp.delete(name);
        await removePermissions(name);
        return done;
      }
      const autoApproval = deps.gates.ManagedClusterAutoApproval ?? false;
      const hasRole = clusterRoles.get(permissionKeys(name).clusterRole) !== undefined;
      switch (decide(cluster, { autoApproval, drivers, holder: holderOf(clusters, cluster), hasRole })) {
        case 'remove':
          await remove(name, cluster);
          break;
        case 'auto-accept':
          await autoAccept(name, cluster);
          break;
        case 'accept':
          await accept(name, cluster, log);
          break;
        case 'deny':
          await deny(name, cluster, log);
          break;
        case 'wait':
        case 'refuse':
          break;
      }
      return done;
    },
  });
}

/** Begins all steps in their order, waits for all of them, and gives what went wrong. */
async function tryTogether(steps: readonly (() => Promise<unknown>)[]): Promise<unknown[]> {
  const answers = await Promise.allSettled(steps.map((step) => step()));
  return answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
}

function throwAny(failures: readonly unknown[]): void {
  if (failures.length > 0) throw new AggregateError(failures, messagesOf(failures));
}
