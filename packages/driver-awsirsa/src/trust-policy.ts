import { isDeepStrictEqual } from 'node:util';
import type { ClusterArn } from './arn.ts';
import { managedRoleArn } from './names.ts';

/**
 * Who may act as the hub's role of a cluster: the role of that cluster's agent, and only with the tags that say for which pair of
 * clusters it was created.
 */
export const trustPolicy = (hub: ClusterArn, managed: ClusterArn, suffix: string) => ({
  Version: '2012-10-17',
  Statement: [
    {
      Effect: 'Allow',
      Principal: { AWS: managedRoleArn(managed, suffix) },
      Action: 'sts:AssumeRole',
      Condition: {
        StringEquals: {
          'aws:PrincipalTag/hub_cluster_account_id': hub.account,
          'aws:PrincipalTag/hub_cluster_name': hub.name,
          'aws:PrincipalTag/managed_cluster_account_id': managed.account,
          'aws:PrincipalTag/managed_cluster_name': managed.name,
        },
      },
    },
  ],
});

export type TrustPolicy = ReturnType<typeof trustPolicy>;

/** Whether IAM holds this policy. IAM answers with the document URL-encoded; one that cannot be read is another one. */
export function holdsPolicy(document: string | undefined, policy: TrustPolicy): boolean {
  if (document === undefined) return false;
  try {
    return isDeepStrictEqual(JSON.parse(decodeURIComponent(document)), policy);
  } catch {
    return false;
  }
}
