import type { ClusterManagementAddOn, ManagedClusterAddOn, ManagedClusterAddOnStatus } from '@flotilla/api-types';
import { isAbsence, keyOf } from '@flotilla/kube';
import { semanticEqual } from '@flotilla/kube/meta';
import { attemptAll } from '../attempt-all.ts';
import { type AddonCaches, placementKeyOf } from '../caches.ts';
import { intentOf } from '../changes.ts';
import { chosenAnnotation } from '../configs/chosen-configs.ts';
import { desiredConfigsOf } from '../configs/config.ts';
import { writeStatus } from '../write-changes.ts';
import type { AddOnNode } from './graph.policy.ts';

/** What a plan depends on of the add-on itself; conditions of progressions are not among it. */
const planFactsOf = (owner: ClusterManagementAddOn): unknown => [
  intentOf(owner),
  desiredConfigsOf(owner.status?.defaultConfigReferences),
  owner.status?.installProgressions?.map(({ namespace, name, configReferences }) => [
    placementKeyOf({ namespace, name }),
    desiredConfigsOf(configReferences),
  ]),
];

/** Writes to add-ons as long as the plan is of the newest configurations: hashes may come while hundreds of them are written. */
export const writeAddOns = (
  { managementAddOns, addOns }: AddonCaches,
  owner: ClusterManagementAddOn,
  nodes: readonly AddOnNode[],
  change: (current: ManagedClusterAddOn, node: AddOnNode) => Partial<ManagedClusterAddOnStatus> | undefined,
): Promise<void> => {
  const isStillPlanned = planCheck(managementAddOns, owner);
  return attemptAll(nodes, async (node) => {
    // What changed wakes the controller again.
    if (isStillPlanned()) await writeStatus(addOns, node.addOn, (current) => change(current, node));
  });
};

/** Whether the plan is still of the newest facts. They are compared once for each version of the add-on and not for each cluster. */
function planCheck(managementAddOns: AddonCaches['managementAddOns'], owner: ClusterManagementAddOn): () => boolean {
  const planned = planFactsOf(owner);
  let compared: ClusterManagementAddOn | undefined = owner;
  let isSame = true;
  return () => {
    const newest = managementAddOns.get(keyOf(owner));
    if (newest === compared) return isSame;
    compared = newest;
    isSame = newest !== undefined && semanticEqual(planFactsOf(newest), planned);
    return isSame;
  };
}

/**
 * Records what was chosen for clusters. It comes after the references: what they name is in a spec now, and stays in the record when the
 * spec names something else.
 */
export const recordChosen = (
  { addOns }: AddonCaches,
  owner: ClusterManagementAddOn,
  nodes: readonly AddOnNode[],
): Promise<void> =>
  attemptAll(nodes, async ({ addOn, inherited }) => {
    const current = addOns.get(keyOf(addOn));
    const annotations = current && chosenAnnotation(current, owner, inherited);
    if (!annotations) return;
    const metadata = { uid: current.metadata?.uid, annotations };
    try {
      await addOns.patch(keyOf(addOn), { type: 'merge', body: { metadata } });
    } catch (error) {
      if (!isAbsence(error)) throw error;
    }
  });
