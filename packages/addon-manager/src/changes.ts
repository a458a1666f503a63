import { Annotation, type ClusterManagementAddOn, type Placement } from '@flotilla/api-types';
import type { StoreChange } from '@flotilla/kube';
import { semanticEqual } from '@flotilla/kube/meta';
import type { KubeObject } from '@flotilla/schema';
import { isManaged } from './lifecycle.ts';

/** Passes additions, deletions, and those updates after which one of `picks` gives something else: a controller wakes only for what it reads. */
export const when =
  <T extends KubeObject>(...picks: readonly ((object: T) => unknown)[]) =>
  (change: StoreChange<T>): boolean =>
    change.type !== 'updated' || picks.some((pick) => !semanticEqual(pick(change.object), pick(change.previous)));

/** Passes additions and deletions. */
export const whenThereOrGone = <T extends KubeObject>({ type }: StoreChange<T>): boolean => type !== 'updated';

/** What install strategies read of a placement. */
export const selectionOf = ({ metadata, status }: Placement): unknown => [
  metadata?.annotations?.[Annotation.SchedulingDisabled],
  status?.numberOfSelectedClusters,
  status?.decisionGroups,
];

/** Which object of a name it is, and whether it is on its way out. */
export const identityOf = ({ metadata }: KubeObject): unknown => [metadata?.uid, metadata?.deletionTimestamp];

/** What users say about an add-on: its spec, and who manages it. */
export const intentOf = (addOn: ClusterManagementAddOn): unknown => [addOn.spec, isManaged(addOn)];
