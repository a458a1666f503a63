import { createHash } from 'node:crypto';
import type { ClusterArn } from './arn.ts';

/** What the roles of a hub and one of its clusters end in: the same on both sides, and in OCM. */
export const roleSuffix = (hub: ClusterArn, managed: ClusterArn): string =>
  createHash('md5').update([hub.account, hub.name, managed.account, managed.name].join('#')).digest('hex');

const roleArn = ({ partition, account }: ClusterArn, role: string) => `arn:${partition}:iam::${account}:role/${role}`;

/** The role in the hub's account that the cluster acts as. The hub creates it. */
export const hubRoleName = (suffix: string): string => `ocm-hub-${suffix}`;
/** The ARN of that role. */
export const hubRoleArn = (hub: ClusterArn, suffix: string): string => roleArn(hub, hubRoleName(suffix));

/** The role in the account of the managed cluster that its agent has from its service account. Its owner creates it. */
export const managedRoleArn = (managed: ClusterArn, suffix: string): string =>
  roleArn(managed, `ocm-managed-cluster-${suffix}`);

/** The group that a cluster is in when it comes by its role. A group of EKS access entries cannot begin with `system:`. */
export const clusterGroup = (cluster: string): string => `open-cluster-management:${cluster}`;

/** The role by which the hub's controllers create roles and access entries. The owner of the hub creates it. */
export const identityCreatorRoleArn = (hub: ClusterArn): string =>
  roleArn(hub, `${hub.name}_managed-cluster-identity-creator`);
