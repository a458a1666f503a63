import {
  type ClusterManagementAddOn,
  Label,
  type ManagedClusterAddOn,
  ManagedClusterAddOnCondition,
  type ManifestWork,
} from '@flotilla/api-types';
import { findCondition, isConditionTrue } from '@flotilla/kube';
import { formatAge, formatTable } from '../output/table.ts';
import { type Branch, formatTree } from '../output/tree.ts';
import { resourceBranches } from '../work/work-rows.ts';
import { addOnState, failedStepOf } from './addon-state.ts';
import { installingPlacements } from './installing-placements.ts';
import { stallsOf } from './stalled-rollouts.ts';

/** An add-on that the hub offers or that clusters have, and where it is. */
export interface AddOnPresence {
  readonly name: string;
  /** Absent for one that clusters have although the hub does not offer it. */
  readonly offered?: ClusterManagementAddOn;
  readonly onClusters: readonly ManagedClusterAddOn[];
}

const isAvailable = ({ status }: ManagedClusterAddOn): boolean =>
  isConditionTrue(status?.conditions, ManagedClusterAddOnCondition.Available);

/** The first two are those of clusteradm. */
const headers = ['NAME', 'INSTALLED CLUSTERS', 'AVAILABLE', 'INSTALL'];

const rowOf = ({ name, offered, onClusters }: AddOnPresence): string[] => [
  name,
  String(onClusters.length),
  String(onClusters.filter(isAvailable).length),
  installText(offered),
];

/** Who says on which clusters it is. */
function installText(offered: ClusterManagementAddOn | undefined): string {
  if (!offered) return 'not offered by the hub';
  const placements = installingPlacements(offered).map(({ namespace, name }) => `${namespace}/${name}`);
  const stalled = stallsOf(offered).length > 0 ? ' (stalled)' : '';
  return placements.length > 0 ? `${placements.join(', ')}${stalled}` : 'Manual';
}

/** Why it does not get to more clusters, and clusters on which it is not Available or cannot be changed, and why. */
const troubleOf = ({ offered, onClusters }: AddOnPresence): string =>
  [
    ...(offered ? stallsOf(offered) : []),
    ...onClusters
      .filter((addOn) => !isAvailable(addOn) || addOn.metadata?.deletionTimestamp || failedStepOf(addOn) !== undefined)
      .map((addOn) => `${addOn.metadata?.namespace}: ${addOnState(addOn)}`),
  ].join('; ');

/** The table of `get addons`. */
export const addOnTable = (addOns: readonly AddOnPresence[], wide: boolean, now: number): string =>
  wide
    ? formatTable(
        [...headers, 'AGE', 'MESSAGE'],
        addOns.map((addOn) => [
          ...rowOf(addOn),
          formatAge(addOn.offered?.metadata?.creationTimestamp, now),
          troubleOf(addOn),
        ]),
      )
    : formatTable(headers, addOns.map(rowOf));

/** The conditions of the tree of clusteradm. */
const treeConditions = ['Available', 'ManifestApplied', 'RegistrationApplied'] as const;
const words = { True: 'true', False: 'false', Unknown: 'unknown' } as const;

/** The tree of `get addons -o tree`: add-ons, their clusters, and which object is applied there. */
export function addOnTree(addOns: readonly AddOnPresence[], works: readonly ManifestWork[]): string {
  const branches = addOns.map(({ name, onClusters }) => ({
    text: name,
    below: onClusters.map((addOn) =>
      clusterBranch(
        addOn,
        works.filter((work) => isWorkOf(work, addOn)),
      ),
    ),
  }));
  return formatTree('<ManagedClusterAddOn>', branches);
}

function clusterBranch({ metadata, status }: ManagedClusterAddOn, works: readonly ManifestWork[]): Branch {
  const conditions = treeConditions.map((type) => {
    const value = findCondition(status?.conditions, ManagedClusterAddOnCondition[type])?.status ?? 'Unknown';
    return { text: `${type} -> ${words[value]}` };
  });
  return {
    text: metadata?.namespace ?? '',
    below: [
      { text: 'Status', below: conditions },
      { text: 'ManifestWork', below: works.flatMap(resourceBranches) },
    ],
  };
}

/** Whether a work was made for an add-on; those of a hosted one are in the namespace of the cluster that hosts it. */
export const isWorkOf = ({ metadata: work }: ManifestWork, { metadata: addOn }: ManagedClusterAddOn): boolean =>
  work?.labels?.[Label.AddOnName] === addOn?.name &&
  (work?.labels?.[Label.AddOnNamespace] ?? work?.namespace) === addOn?.namespace;
