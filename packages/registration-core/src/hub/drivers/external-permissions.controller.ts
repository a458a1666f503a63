import { type ManagedCluster, ManagedClusterCondition } from '@flotilla/api-types';
import {
  addFinalizer,
  after,
  applyConditions,
  type ConditionInput,
  type Controller,
  defineController,
  done,
  on,
  type Result,
  removeFinalizer,
} from '@flotilla/kube';
import type { ExternalPermissions, Progress } from '../../contract/index.ts';
import { driversOf } from '../acceptance/acceptance.phases.ts';
import { conditionOf, when } from '../changes.ts';
import type { HubDeps } from '../deps.ts';
import { decideExternal } from './external-permissions.policy.ts';
import { failed, ready, removed, waiting } from './external-permissions.status.ts';
import type { StartedDriver } from './start-drivers.ts';
import { externalPermissionsFinalizer } from './unowned-finalizers.policy.ts';

/** One controller per driver that makes something outside of the hub, so that a slow one delays no other. */
export const externalPermissionsControllers = (deps: HubDeps): Controller[] =>
  deps.drivers.flatMap((driver) =>
    driver.external ? [externalPermissionsController(deps, driver, driver.external)] : [],
  );

/** Creates and removes what a driver needs for a cluster outside of the hub, and reports on the cluster how far it got. */
function externalPermissionsController(
  deps: HubDeps,
  driver: StartedDriver,
  external: ExternalPermissions,
): Controller {
  const { clusters, namespaces, clusterRoleBindings, clock } = deps;
  const { authType } = driver;
  const finalizer = externalPermissionsFinalizer(authType);
  const report = (cluster: ManagedCluster, condition: ConditionInput) =>
    applyConditions(clusters, cluster, [condition], { clock, observedGeneration: false });

  /** Runs one step of the driver; a failure is reported before it is retried. */
  const attempt = async (cluster: ManagedCluster, step: () => Promise<Progress>): Promise<Progress> => {
    try {
      return await step();
    } catch (error) {
      await report(cluster, failed(authType, error));
      throw error;
    }
  };

  const create = async (cluster: ManagedCluster, signal: AbortSignal): Promise<Result> => {
    const held = await addFinalizer(clusters, cluster, finalizer);
    if (!held) return done;
    const progress = await attempt(held, () => external.create(held, signal));
    await report(held, progress.kind === 'done' ? ready(authType) : waiting(authType, progress.why));
    if (progress.checkAfterMs === undefined) return done;
    return after(progress.checkAfterMs, progress.kind === 'done' ? 'the next check for drift' : progress.why);
  };

  const remove = async (cluster: ManagedCluster, signal: AbortSignal): Promise<Result> => {
    const progress = await attempt(cluster, () => external.remove(cluster, signal));
    if (progress.kind === 'waiting') {
      await report(cluster, waiting(authType, progress.why));
      return after(progress.checkAfterMs, progress.why);
    }
    const { object = cluster } = await report(cluster, removed(authType));
    await removeFinalizer(clusters, object, finalizer);
    return done;
  };

  return defineController({
    name: `${authType}-permissions`,
    watches: [on(clusters, undefined, when(specOf, metadataOf, ...conditions.map(conditionOf)))],
    reads: [namespaces, clusterRoleBindings],
    async reconcile(name, { signal }) {
      const cluster = clusters.get(name);
      if (!cluster) return done;
      switch (decideExternal(cluster, finalizer, () => isRegisteredWith(deps, cluster, driver))) {
        case 'create':
          return create(cluster, signal);
        case 'remove':
          return remove(cluster, signal);
        case 'none':
          return done;
      }
    },
  });
}

/** Whether the cluster declares the driver and is bound to it. Drivers with the same subjects are bound together, but a cluster declares one of them. */
const isRegisteredWith = (deps: HubDeps, cluster: ManagedCluster, driver: StartedDriver): boolean =>
  driver.accepts(cluster) !== 'not mine' && driversOf(deps, cluster, false).drivers.includes(driver);

/** A cluster that stops reporting may have lost what was made for it. */
const conditions = [ManagedClusterCondition.HubAccepted, ManagedClusterCondition.Available];

const specOf = ({ spec }: ManagedCluster): unknown => spec?.hubAcceptsClient;

const metadataOf = ({ metadata }: ManagedCluster): unknown => [
  metadata?.deletionTimestamp,
  metadata?.finalizers,
  metadata?.annotations,
];
