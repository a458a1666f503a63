import {
  type ManagedCluster,
  type ManagedClusterAddOn,
  ManagedClusterAddOnCondition,
  ManagedClusterCondition,
} from '@flotilla/api-types';
import { findCondition, isDeleting, type StoreChange } from '@flotilla/kube';
import type { ConfigProblem } from '../configs/resolve-configs.ts';
import { waitsForRollout } from '../configs/waits-for-rollout.ts';

/** With value "true" on a cluster that is being deleted: an administrator says that its agent is gone for good. */
const forcedRemoval = 'open-cluster-management.io/force-removal';

/** Whether nothing can be done on a cluster any more, and nothing must wait for it. */
export const isUnreachableForGood = (cluster: ManagedCluster | undefined): boolean =>
  !cluster || (isDeleting(cluster) && cluster.metadata?.annotations?.[forcedRemoval] === 'true');

/**
 * Why the hooks of an add-on that is being deleted can never be rendered: a configuration that it references does not exist or may not be
 * read, and neither does what offered the add-on and could name another one. Undefined if they can.
 */
export const lostForGood = (
  addon: ManagedClusterAddOn,
  isOffered: boolean,
  problems: readonly ConfigProblem[],
): string | undefined =>
  isDeleting(addon) && !isOffered ? problems.find(({ kind }) => kind !== 'pending')?.message : undefined;

/**
 * What keeps an add-on from being rendered until somebody acts. A cluster that waits for its turn in a rollout may have what the hub chose
 * before, on hubs that keep no record of it: it waits, and what is deployed stays.
 */
export const unusableConfig = (
  addon: ManagedClusterAddOn,
  problems: readonly ConfigProblem[],
): ConfigProblem | undefined =>
  problems.find(({ kind }) => kind === 'missing' || (kind === 'refused' && !waitsForRollout(addon)));

/** Whether an add-on may be deployed: the hub has said something about its registration. */
export const isRegistered = ({ status }: ManagedClusterAddOn): boolean =>
  findCondition(status?.conditions, ManagedClusterAddOnCondition.RegistrationApplied) !== undefined;

/** Whether a change of a cluster matters to any add-on: it comes or goes, or can be reached again. */
export const isClusterLifecycle = ({ type, object, previous }: StoreChange<ManagedCluster>): boolean =>
  type !== 'updated' ||
  object.metadata?.deletionTimestamp !== previous.metadata?.deletionTimestamp ||
  isUnreachableForGood(object) !== isUnreachableForGood(previous) ||
  availabilityOf(object) !== availabilityOf(previous);

const availabilityOf = ({ status }: ManagedCluster): string | undefined =>
  findCondition(status?.conditions, ManagedClusterCondition.Available)?.status;
