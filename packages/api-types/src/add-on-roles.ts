import { createHash } from 'node:crypto';
import { ClusterRoleName, HubRoleSuffix, ObjectName } from './names/index.ts';

const prefix = `${ClusterRoleName.HubComponent.of({
  clusterManager: ObjectName.ClusterManager,
  suffix: HubRoleSuffix.GrpcServer,
})}:addons-`;

/** One object could not hold the names of all add-ons of a large fleet. */
const shards = [...'0123456789abcdef'];

/**
 * The ClusterRoles, not of OCM, by which the gRPC server may act for add-ons: each names the users and groups of the add-ons of some
 * clusters. They are installed without rules, and the controllers of the hub fill them in.
 */
export const AddOnRole = {
  prefix,
  names: shards.map((shard) => `${prefix}${shard}`) as readonly string[],
  /** The one for the add-ons of a cluster. */
  of: (clusterName: string): string => `${prefix}${createHash('sha256').update(clusterName).digest('hex').charAt(0)}`,
  /** By which they are found. */
  labels: { 'app.kubernetes.io/component': 'grpc-server-addons' },
} as const;
