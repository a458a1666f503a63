import { composed, formatted } from '../composed.ts';
import { constantsOf, type NameTable } from '../name-table.ts';

export const clusterRoleTable = {
  Bootstrap: {
    value: 'open-cluster-management:bootstrap',
    on: ['ClusterRole'],
    meaning: 'What a cluster may do that has not joined yet.',
  },
  ManagedClusterRegistration: {
    value: 'open-cluster-management:managedcluster:registration',
    on: ['ClusterRole'],
    meaning: 'What every registration agent may do in the namespace of its cluster.',
  },
  ManagedClusterWork: {
    value: 'open-cluster-management:managedcluster:work',
    on: ['ClusterRole'],
    meaning: 'What every work agent may do in the namespace of its cluster.',
  },
  ManagedCluster: composed(
    'open-cluster-management:managedcluster:{cluster}',
    ['ClusterRole', 'ClusterRoleBinding'],
    'What the agents of one cluster may do outside of its namespace.',
  ),
  HubComponent: formatted(
    'open-cluster-management:{clusterManager}-{suffix}',
    ['ClusterRole', 'ClusterRoleBinding'],
    'What a component of the hub may do; the suffixes are in HubRoleSuffix.',
    { suffix: '[a-z]+(?:-[a-z]+)*:[a-z]+|grpc-server' },
  ),
  RegistrationAgent: composed(
    'open-cluster-management:{klusterlet}-registration:agent',
    ['ClusterRole', 'ClusterRoleBinding'],
    'Registration agent on the managed cluster.',
  ),
  RegistrationAgentAddOnManagement: composed(
    'open-cluster-management:{klusterlet}-registration:addon-management',
    ['ClusterRole', 'ClusterRoleBinding'],
    'Secrets and leases of add-ons on the managed cluster.',
  ),
  WorkAgent: composed(
    'open-cluster-management:{klusterlet}-work:agent',
    ['ClusterRole', 'ClusterRoleBinding'],
    'Work agent on the managed cluster.',
  ),
  WorkAgentExecution: composed(
    'open-cluster-management:{klusterlet}-work:execution',
    ['ClusterRole'],
    'What works may contain besides what the role admin allows.',
  ),
  WorkAgentAggregate: composed(
    'open-cluster-management:{klusterlet}-work:aggregate',
    ['ClusterRole', 'ClusterRoleBinding'],
    'Collects the roles that users label for the work agent.',
  ),
  WorkAgentExecutionAdmin: composed(
    'open-cluster-management:{klusterlet}-work:execution-admin',
    ['ClusterRoleBinding'],
    'Gives the work agent the built-in role admin.',
  ),
  ManagementAddOnManagement: composed(
    'open-cluster-management:management:{klusterlet}-registration:addon-management',
    ['ClusterRole', 'ClusterRoleBinding'],
    'Secrets and leases of hosted add-ons on the management cluster.',
  ),
  BootstrapServiceAccountBinding: {
    value: 'open-cluster-management:bootstrap:agent-registration',
    on: ['ClusterRoleBinding'],
    meaning: 'Binds the bootstrap role to the bootstrap service account.',
  },
  BootstrapTokenBinding: {
    value: 'open-cluster-management:bootstrap:managedcluster',
    on: ['ClusterRoleBinding'],
    meaning: 'Binds the bootstrap role to holders of bootstrap tokens.',
  },
  JoinToken: composed(
    'open-cluster-management:join-token:{tokenId}',
    ['ClusterRole', 'ClusterRoleBinding'],
    'What the holder of one join token may do; owns the token, its binding and its record.',
    { tokenId: '[a-z0-9]{6}' },
  ),
  BootstrapServiceAccountBindingOfCli: {
    value: 'agent-registration-bootstrap',
    on: ['ClusterRoleBinding'],
    meaning: 'An older name of that binding, which the CLI deletes with the token.',
  },
  LegacyBootstrap: {
    value: 'system:open-cluster-management:bootstrap',
    on: ['ClusterRole'],
    meaning: 'The bootstrap role of earlier releases, which the CLI cleans up.',
  },
  LegacyBootstrapTokenBinding: {
    value: 'cluster-bootstrap',
    on: ['ClusterRoleBinding'],
    meaning: 'Its binding to holders of bootstrap tokens.',
  },
  LegacyBootstrapServiceAccountBinding: {
    value: 'cluster-bootstrap-sa',
    on: ['ClusterRoleBinding'],
    meaning: 'Its binding to the bootstrap service account.',
  },
  ClusterManagerOperator: {
    value: 'cluster-manager',
    on: ['ClusterRole', 'ClusterRoleBinding'],
    meaning: 'What the hub operator may do.',
  },
  KlusterletOperator: {
    value: 'klusterlet',
    on: ['ClusterRole', 'ClusterRoleBinding'],
    meaning: 'What the klusterlet operator may do.',
  },
} as const satisfies NameTable;

export const hubRoleSuffixTable = {
  RegistrationController: { value: 'registration:controller', on: ['ClusterRole'], meaning: 'Hub registration.' },
  AddOnWebhook: {
    value: 'addon:webhook',
    on: ['ClusterRole'],
    meaning: 'Conversion webhook of add-ons, which reviews the readers of its metrics. Not in OCM.',
  },
  RegistrationWebhook: { value: 'registration:webhook', on: ['ClusterRole'], meaning: 'Registration webhook.' },
  WorkController: { value: 'work:controller', on: ['ClusterRole'], meaning: 'Hub work controller.' },
  WorkWebhook: { value: 'work:webhook', on: ['ClusterRole'], meaning: 'Work webhook.' },
  WorkExecutorAdmin: {
    value: 'work-executor-admin:webhook',
    on: ['ClusterRole'],
    meaning: 'Making works without an executor, where that is checked.',
  },
  PlacementController: { value: 'placement:controller', on: ['ClusterRole'], meaning: 'Placement controller.' },
  PlacementDebug: { value: 'placement:debug', on: ['ClusterRole'], meaning: 'Server of simulations of placements.' },
  AddOnManagerController: { value: 'addon-manager:controller', on: ['ClusterRole'], meaning: 'Add-on manager.' },
  AddOnManagerWorkExecutor: {
    value: 'addon-manager-work-executor:controller',
    on: ['ClusterRoleBinding'],
    meaning: 'Lets the add-on manager make works without an executor.',
  },
  GrpcServer: { value: 'grpc-server', on: ['ClusterRole'], meaning: 'gRPC server.' },
} as const satisfies NameTable;

export const roleTable = {
  ManagedClusterRegistration: composed(
    'open-cluster-management:managedcluster:{cluster}:registration',
    ['RoleBinding'],
    'Gives the agents of a cluster the registration role in its namespace.',
  ),
  ManagedClusterWork: composed(
    'open-cluster-management:managedcluster:{cluster}:work',
    ['RoleBinding'],
    'Gives the agents of a cluster the work role in its namespace, until its works are gone.',
  ),
  AddOnToken: composed(
    '{addOn}-token-role',
    ['Role', 'RoleBinding'],
    'Lets the agents of a cluster request tokens for an add-on.',
  ),
  AddOnTemplateAgent: composed(
    'open-cluster-management:{addOn}:{roleKind}:agent',
    ['RoleBinding'],
    'Hub permission of a template add-on; the kind of its role is in lower case.',
    { roleKind: 'role|clusterrole' },
  ),
  ManagementRegistrationAgent: composed(
    'open-cluster-management:management:{klusterlet}-registration:agent',
    ['Role', 'RoleBinding'],
    'Registration agent in its own namespace.',
  ),
  ManagementWorkAgent: composed(
    'open-cluster-management:management:{klusterlet}-work:agent',
    ['Role', 'RoleBinding'],
    'Work agent in its own namespace.',
  ),
  ManagementExtensionApiServer: composed(
    'open-cluster-management:management:{klusterlet}:extension-apiserver',
    ['Role'],
    'Reading what is needed to authenticate callers of the agents.',
  ),
} as const satisfies NameTable;

/** Cluster roles, and the cluster role bindings of the same names. */
export const ClusterRoleName = /* @__PURE__ */ constantsOf(clusterRoleTable);

/** Ends of the names of the hub's cluster roles, see `ClusterRoleName.HubComponent`. */
export const HubRoleSuffix = /* @__PURE__ */ constantsOf(hubRoleSuffixTable);

/** Roles and role bindings. */
export const RoleName = /* @__PURE__ */ constantsOf(roleTable);
