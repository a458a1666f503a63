import {
  AddOnControllerName,
  type ClusterManagementAddOn,
  type ManagedCluster,
  ManagedClusterCondition,
} from '@flotilla/api-types';
import {
  type Controller,
  defineController,
  done,
  findCondition,
  isDeleting,
  KubeError,
  keyOf,
  on,
} from '@flotilla/kube';
import { attemptAll } from '../attempt-all.ts';
import { type AddonCaches, placementKeyOf, placementOfDecision } from '../caches.ts';
import { identityOf, intentOf, when, whenThereOrGone } from '../changes.ts';
import { isInstalledByPlacements, isManaged } from '../lifecycle.ts';
import { newAddOn, planInstall } from './management.policy.ts';

const acceptanceOf = ({ status }: ManagedCluster): unknown =>
  findCondition(status?.conditions, ManagedClusterCondition.HubAccepted)?.status;

/** Installs add-ons on the clusters of their placements, and removes them from clusters that are no longer selected. */
export function managementController(caches: AddonCaches): Controller {
  const { managementAddOns, addOns, clusters, placements, decisions } = caches;

  const create = async (owner: ClusterManagementAddOn, name: string): Promise<void> => {
    const cluster = clusters.get(name);
    // One that is not there yet, or leaves, wakes this controller when it comes.
    if (!cluster || isDeleting(cluster)) return;
    try {
      await addOns.create(newAddOn(owner, cluster));
    } catch (error) {
      if (!KubeError.is(error, 'AlreadyExists')) throw error;
    }
  };

  return defineController({
    name: AddOnControllerName.Management,
    isOptional: true,
    watches: [
      on(managementAddOns, undefined, when(identityOf, intentOf)),
      on(addOns, ({ metadata }) => metadata?.name, when(identityOf)),
      on(placements, (placement) => caches.installedBy(keyOf(placement)), whenThereOrGone),
      on(decisions, (decision) => caches.installedBy(placementOfDecision(decision))),
      // The namespace of a cluster comes with its acceptance.
      on(clusters, () => caches.installedByPlacements(), when(identityOf, acceptanceOf)),
    ],
    async reconcile(name, { log }) {
      const owner = managementAddOns.get(name);
      if (!owner || isDeleting(owner) || !isManaged(owner) || !isInstalledByPlacements(owner)) return done;
      const plan = planInstall({
        placements: owner.spec?.installStrategy?.placements ?? [],
        existing: caches.addOnsNamed(name),
        placementExists: (placement) => placements.has(placementKeyOf(placement)),
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
          ...plan.delete.map((addOn) => () => addOns.delete(keyOf(addOn), uidOf(addOn))),
        ],
        (write) => write(),
      );
      return done;
    },
  });
}

const uidOf = ({ metadata }: { readonly metadata?: { readonly uid?: string } }) => ({
  preconditions: { uid: metadata?.uid },
});
