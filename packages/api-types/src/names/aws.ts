import { composed, formatted } from './composed.ts';
import { constantsOf, type NameTable } from './name-table.ts';

const suffix = '[0-9a-f]{32}';
const account = '[0-9]{12}';

export const awsNameTable = {
  ClusterArn: composed(
    'arn:aws:eks:{region}:{account}:cluster/{name}',
    ['ClusterManager', 'Klusterlet', 'ManagedCluster'],
    'An EKS cluster.',
    { account },
  ),
  RoleSuffixInput: composed(
    '{hubAccount}#{hubName}#{managedAccount}#{managedName}',
    ['ManagedCluster'],
    'The text whose MD5 in lower case hex is the role suffix.',
    { hubAccount: account, hubName: '[A-Za-z0-9-]+', managedAccount: account, managedName: '[A-Za-z0-9-]+' },
  ),
  HubRole: composed('ocm-hub-{suffix}', ['ManagedCluster'], 'IAM role that the hub makes for a cluster.', { suffix }),
  HubRoleArn: composed(
    'arn:aws:iam::{account}:role/ocm-hub-{suffix}',
    ['ManagedCluster'],
    'That role as an ARN in the account of the hub.',
    { account, suffix },
  ),
  ManagedRoleArn: composed(
    'arn:aws:iam::{account}:role/ocm-managed-cluster-{suffix}',
    ['ServiceAccount', 'ManagedCluster'],
    'IAM role of the agents, which the user makes, in the account of the managed cluster.',
    { account, suffix },
  ),
  IdentityCreatorRoleArn: formatted(
    'arn:aws:iam::{account}:role/{hubName}_managed-cluster-identity-creator',
    ['ServiceAccount'],
    'IAM role of the hub registration controller.',
    { account },
  ),
  HubAccountTag: { value: 'hub_cluster_account_id', on: ['ManagedCluster'], meaning: 'Tag: account of the hub.' },
  HubNameTag: { value: 'hub_cluster_name', on: ['ManagedCluster'], meaning: 'Tag: EKS name of the hub.' },
  ManagedAccountTag: {
    value: 'managed_cluster_account_id',
    on: ['ManagedCluster'],
    meaning: 'Tag: account of the managed cluster.',
  },
  ManagedNameTag: {
    value: 'managed_cluster_name',
    on: ['ManagedCluster'],
    meaning: 'Tag: EKS name of the managed cluster. Trust policies compare the four tags of the calling role.',
  },
} as const satisfies NameTable;

/** Names of the awsirsa driver. */
export const AwsName = /* @__PURE__ */ constantsOf(awsNameTable);
