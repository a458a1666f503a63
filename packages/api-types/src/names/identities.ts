import { composed } from './composed.ts';
import { constantsOf, type NameTable } from './name-table.ts';

export const userNameTable = {
  Agent: composed(
    'system:open-cluster-management:{cluster}:{agent}',
    ['CertificateSigningRequest'],
    'Agent of a cluster: common name of its certificate. A certificate may be renewed only by the user it names.',
  ),
  AddOnAgent: composed(
    'system:open-cluster-management:cluster:{cluster}:addon:{addOn}:agent:{agent}',
    ['CertificateSigningRequest', 'ManagedClusterAddOn'],
    'Agent of an add-on: common name of its certificate. Klusterlets put the add-on name where the agent name goes.',
  ),
  ServiceAccount: composed(
    'system:serviceaccount:{namespace}:{name}',
    ['ServiceAccount', 'ManifestWork', 'ManagedClusterAddOn'],
    'Service account as a user: executor of a work, add-on that registers by token, bootstrap identity.',
  ),
  BootstrapToken: composed(
    'system:bootstrap:{tokenId}',
    ['CertificateSigningRequest'],
    'Holder of a bootstrap token.',
    { tokenId: '[a-z0-9]{6}' },
  ),
} as const satisfies NameTable;

export const groupNameTable = {
  ManagedClusters: {
    value: 'system:open-cluster-management:managed-clusters',
    on: ['CertificateSigningRequest'],
    meaning: 'All agents; in every certificate of a cluster and bound to nothing.',
  },
  Cluster: composed(
    'system:open-cluster-management:{cluster}',
    ['CertificateSigningRequest', 'ClusterRoleBinding', 'RoleBinding'],
    'Agents of one cluster, by certificate. A cluster must not be named managed-clusters: its group would be that of all.',
  ),
  AwsCluster: composed(
    'open-cluster-management:{cluster}',
    ['ClusterRoleBinding', 'RoleBinding'],
    'Agents of one cluster, by EKS access entry: AWS refuses groups that start with system:.',
  ),
  AddOn: composed(
    'system:open-cluster-management:addon:{addOn}',
    ['CertificateSigningRequest', 'ManagedClusterAddOn'],
    'Agents of one add-on on all clusters.',
  ),
  ClusterAddOn: composed(
    'system:open-cluster-management:cluster:{cluster}:addon:{addOn}',
    ['CertificateSigningRequest', 'ManagedClusterAddOn'],
    'Agents of one add-on on one cluster.',
  ),
  Bootstrappers: {
    value: 'system:bootstrappers:managedcluster',
    on: ['Secret', 'ClusterRoleBinding', 'CertificateSigningRequest'],
    meaning: 'Holders of a bootstrap token made for joining clusters.',
  },
  ClusterBootstrappers: composed(
    'system:bootstrappers:managedcluster:{cluster}',
    ['Secret', 'CertificateSigningRequest'],
    'Holders of a join token for one cluster: they can register that one and no other. Bound to nothing.',
    { cluster: '[a-z0-9]([-a-z0-9]*[a-z0-9])?' },
  ),
  RestrictedBootstrappers: {
    value: 'system:bootstrappers:managedcluster-restricted',
    on: ['Secret', 'RoleBinding', 'CertificateSigningRequest'],
    meaning: 'Holders of join tokens that are for one cluster, or for a number of uses; each has a role of its own.',
  },
  Authenticated: {
    value: 'system:authenticated',
    on: ['SubjectAccessReview', 'ManagedClusterAddOn'],
    meaning: 'All authenticated users; never bound to permissions of an add-on.',
  },
  ServiceAccounts: {
    value: 'system:serviceaccounts',
    on: ['SubjectAccessReview'],
    meaning: 'All service accounts.',
  },
  NamespaceServiceAccounts: composed(
    'system:serviceaccounts:{namespace}',
    ['SubjectAccessReview', 'CertificateSigningRequest'],
    'All service accounts of one namespace.',
  ),
} as const satisfies NameTable;

/** User names that OCM builds or checks. */
export const UserName = /* @__PURE__ */ constantsOf(userNameTable);

/** Group names that OCM builds or checks. */
export const GroupName = /* @__PURE__ */ constantsOf(groupNameTable);

/** Whether a user of these groups may register a cluster of this name: one with a join token for others may not. */
export function mayRegister(groups: readonly string[], clusterName: string): boolean {
  const bound = groups.flatMap((group) => GroupName.ClusterBootstrappers.parse(group)?.cluster ?? []);
  return bound.length === 0 || bound.includes(clusterName);
}

export const certificateNameTable = {
  AddOnDns: composed(
    '{addOn}.addon.open-cluster-management.io',
    ['CertificateSigningRequest'],
    'DNS name in certificates of add-on agents.',
  ),
  Signer: composed(
    'cluster-manager-webhook@{seconds}',
    ['Secret'],
    'Common name of the CA that the hub operator makes, with the time it was made.',
    { seconds: '[0-9]+' },
  ),
} as const satisfies NameTable;

/** Names in certificates that are neither users nor groups. */
export const CertificateName = /* @__PURE__ */ constantsOf(certificateNameTable);
