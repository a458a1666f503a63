import type { EKSClient } from '@aws-sdk/client-eks';
import type { IAMClient } from '@aws-sdk/client-iam';
import { deleteAccessEntry, ensureAccessEntry } from './access-entry.ts';
import type { ClusterRole } from './cluster-role.ts';
import { deleteRole, ensureRole } from './iam-role.ts';

/** The services that hold the permissions of clusters. */
export interface AwsServices {
  readonly iam: IAMClient;
  readonly eks: EKSClient;
}

/** Makes the role and its entry what they should be. Throws AwsCallError or EntryOfAnotherCluster; safe to repeat. */
export async function ensurePermissions(
  { iam, eks }: AwsServices,
  role: ClusterRole,
  signal: AbortSignal,
): Promise<void> {
  await ensureRole(iam, role, signal);
  await ensureAccessEntry(eks, role, signal);
}

/**
 * Takes the role and its entry away. The entry goes first, because it is what admits the cluster to the hub. A role whose entry belongs
 * to another cluster stays with it.
 */
export async function removePermissions(
  { iam, eks }: AwsServices,
  role: ClusterRole,
  signal: AbortSignal,
): Promise<void> {
  if (await deleteAccessEntry(eks, role, signal)) await deleteRole(iam, role, signal);
}
