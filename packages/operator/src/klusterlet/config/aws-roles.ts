import { createHash } from 'node:crypto';
import { AwsName } from '@flotilla/api-types';

/** An EKS cluster, in any partition of AWS. */
const clusterArn = /^arn:(aws(?:-[a-z]+)*):eks:[a-zA-Z0-9-]+:(\d{12}):cluster\/([a-zA-Z0-9][a-zA-Z0-9_-]*)$/;

/** What agents with the driver awsirsa are given. */
export interface AwsRoles {
  /** Ends the names of the IAM roles of both clusters. */
  readonly suffix: string;
  /** The role of the service accounts. */
  readonly roleArn: string;
}

/** The IAM names for two EKS clusters; undefined if one is not an ARN of an EKS cluster. */
export function awsRoles(hubClusterArn: string, managedClusterArn: string): AwsRoles | undefined {
  const hub = clusterArn.exec(hubClusterArn);
  const managed = clusterArn.exec(managedClusterArn);
  if (!hub || !managed) return undefined;
  const [, partition, account = '', name] = managed;
  const suffix = createHash('md5').update([hub[2], hub[3], account, name].join('#')).digest('hex');
  const roleArn = AwsName.ManagedRoleArn.of({ account, suffix });
  return { suffix, roleArn: roleArn.replace(/^arn:aws:/, `arn:${partition}:`) };
}

/** What agents with the driver awsirsa are started with. */
export interface AwsAgent extends AwsRoles {
  readonly hubClusterArn: string;
  readonly managedClusterArn: string;
}

/** Agents between two EKS clusters; undefined if one is not an ARN of an EKS cluster. */
export function awsAgent(hubClusterArn: string, managedClusterArn: string): AwsAgent | undefined {
  const roles = awsRoles(hubClusterArn, managedClusterArn);
  return roles && { ...roles, hubClusterArn, managedClusterArn };
}
