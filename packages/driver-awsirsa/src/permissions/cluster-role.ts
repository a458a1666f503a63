import type { ClusterArn } from '../arn.ts';
import { clusterGroup, hubRoleArn, hubRoleName } from '../names.ts';
import { type TrustPolicy, trustPolicy } from '../trust-policy.ts';

/** What a cluster has in the hub's AWS account: a role, and the entry that makes this role a user of the hub. */
export interface ClusterRole {
  /** Name of the ManagedCluster. */
  readonly cluster: string;
  /** EKS name of the hub. */
  readonly hubName: string;
  readonly roleName: string;
  readonly roleArn: string;
  readonly trustPolicy: TrustPolicy;
  readonly groups: readonly string[];
  readonly tags: Readonly<Record<string, string>>;
}

/** The role and the entry of a cluster. Pure. */
export const clusterRole = (
  cluster: string,
  hub: ClusterArn,
  managed: ClusterArn,
  suffix: string,
  tags: Readonly<Record<string, string>>,
): ClusterRole => ({
  cluster,
  hubName: hub.name,
  roleName: hubRoleName(suffix),
  roleArn: hubRoleArn(hub, suffix),
  trustPolicy: trustPolicy(hub, managed, suffix),
  groups: [clusterGroup(cluster)],
  tags,
});
