import {
  AddOnControllerName,
  type ClusterManagementAddOn,
  type ManagedCluster,
  type ManagedClusterAddOn,
  ManagedClusterCondition,
} from '@flotilla/api-types';
import {
  after,
  type Controller,
  defineController,
  done,
  findCondition,
  isDeleting,
  joinKey,
  KubeError,
  keyOf,
  on,
} from '@flotilla/kube';
import { attemptAll, batchPeriodMs } from '../attempt-all.ts';
import { type AddonCaches, placementKeyOf, placementOfDecision } from '../caches.ts';
import { identityOf, intentOf, selectionOf, when } from '../changes.ts';
import { isInstalledByPlacements, isManaged } from '../lifecycle.ts';
import { newAddOn, planInstall } from './management.policy.ts';
import { RecentWrites } from './recent-writes.ts';

const acceptanceOf = ({ status }: ManagedCluster): unknown =>
  findCondition(status?.conditions, ManagedClusterCondition.HubAccepted)?.status;

/** Installs add-ons on the clusters of their placements, and removes them from clusters that are no longer selected. */
export function managementController(caches: AddonCaches): Controller {
  const { managementAddOns, addOns, clusters, placements, decisions } = caches;
  const recent = new RecentWrites(caches.clock);

  const { create, remove } = installer(caches, recent);
  return defineController({
    name: AddOnControllerName.Management,
    isOptional: true,
    batchPeriodMs,
    watches: [
      on(managementAddOns, undefined, when(identityOf, intentOf)),
      on(addOns, ({ metadata }) => metadata?.name, when(identityOf)),
      on(placements, (placement) => caches.installedBy(keyOf(placement)), when(selectionOf)),
      on(decisions, (decision) => caches.installedBy(placementOfDecision(decision))),
      // The namespace of a cluster comes with its acceptance.
      on(clusters, () => caches.installedByPlacements(), when(identityOf, acceptanceOf)),
    ],
    async reconcile(name, { log }) {
      const owner = managementAddOns.get(name);
      if (!owner || isDeleting(owner) || !isManaged(owner) || !isInstalledByPlacements(owner)) return done;
      for (const addOn of caches.addOnsNamed(name)) recent.delete(keyOf(addOn));
      const plan = planInstall({
        placements: owner.spec?.installStrategy?.placements ?? [],
        existing: caches.addOnsNamed(name),
        placementOf: (placement) => placements.get(placementKeyOf(placement)),
        decisionsOf: caches.decisionsOf,
      });
      for (const placement of plan.missing) {
        log.warn('a placement of the install strategy does not exist: its clusters do not have the add-on', {
          placement: placementKeyOf(placement),
        });
      }
      await attemptAll(
        [
          ...plan.create.map((cluster) => () => create(owner, cluster)),
          ...plan.delete.map((addOn) => () => remove(addOn)),
        ],
        (write) => write(),
      );
      const left = recent.settledAfterMs;
      return left === undefined ? done : after(left, 'what was written a moment ago is in the cache by then');
    },
  });
}

/** Creates and deletes add-ons on clusters, each once. */
function installer({ addOns, clusters, placementOf }: AddonCaches, recent: RecentWrites) {
  const create = async (owner: ClusterManagementAddOn, name: string): Promise<void> => {
    const cluster = clusters.get(name);
    // One that is not there yet, or leaves, wakes this controller when it comes.
    if (!cluster || isDeleting(cluster)) return;
    const key = joinKey(name, owner.metadata?.name ?? '');
    if (recent.has(key)) return;
    try {
      await addOns.create(newAddOn(owner, cluster, placementOf(owner, name)));
    } catch (error) {
      if (!KubeError.is(error, 'AlreadyExists')) throw error;
    }
    recent.add(key);
  };

  const remove = async (addOn: ManagedClusterAddOn): Promise<void> => {
    const { uid = '' } = addOn.metadata ?? {};
    if (recent.has(uid)) return;
    await addOns.delete(keyOf(addOn), { preconditions: { uid } });
    recent.add(uid);
  };
  return { create, remove };
}
