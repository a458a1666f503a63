import { ApiGroup, Label, ObjectName } from '@flotilla/api-types';
import type { ClusterRole } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import { clusterRole, clusterRoleBinding, type Rules, type Subjects } from '../objects/rbac.ts';

const read = ['get', 'list', 'watch'];
const all = [...read, 'create', 'update', 'patch', 'delete'];

/** What the work agent needs in the whole cluster besides applying works. */
export const workRules: Rules = [
  // The record of what was applied. An owner reference to it may need the last rule.
  { apiGroups: [ApiGroup.Work], resources: ['appliedmanifestworks'], verbs: all },
  { apiGroups: [ApiGroup.Work], resources: ['appliedmanifestworks/status'], verbs: ['patch', 'update'] },
  { apiGroups: [ApiGroup.Work], resources: ['appliedmanifestworks/finalizers'], verbs: ['update'] },
  // Works with an executor: its access is reviewed (by the subjectaccessreviews of metricsRules), and again only when roles or
  // bindings change.
  { apiGroups: [ApiGroup.Core], resources: ['serviceaccounts'], verbs: ['impersonate'] },
  {
    apiGroups: [ApiGroup.Rbac],
    resources: ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'],
    verbs: read,
  },
  // Kinds that are defined after their works arrive.
  { apiGroups: [ApiGroup.ApiExtensions], resources: ['customresourcedefinitions'], verbs: read },
  { apiGroups: ['apiregistration.k8s.io'], resources: ['apiservices'], verbs: read },
];

const role = (suffix: string): string => `open-cluster-management:${ObjectName.Klusterlet}-work:${suffix}`;

/** Kinds that the ClusterRole `admin` does not include. */
const executionRules: Rules = [
  { apiGroups: [ApiGroup.Core], resources: ['namespaces'], verbs: all },
  { apiGroups: [ApiGroup.ApiExtensions], resources: ['customresourcedefinitions'], verbs: all },
  // Works may carry rights that the agent itself does not have.
  { apiGroups: [ApiGroup.Rbac], resources: ['roles', 'clusterroles'], verbs: [...all, 'escalate', 'bind'] },
  { apiGroups: [ApiGroup.Rbac], resources: ['rolebindings', 'clusterrolebindings'], verbs: all },
  { apiGroups: [ApiGroup.Scheduling], resources: ['priorityclasses'], verbs: all },
  {
    apiGroups: [ApiGroup.AdmissionRegistration],
    resources: ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'],
    verbs: all,
  },
  { apiGroups: ['monitoring.coreos.com'], resources: ['servicemonitors'], verbs: all },
  { apiGroups: ['oauth.openshift.io'], resources: ['oauthclients'], verbs: all },
];

const aggregated = { [Label.AggregateToWork]: 'true' };

const aggregate: ClusterRole = {
  ...clusterRole(role('aggregate'), []),
  aggregationRule: { clusterRoleSelectors: [{ matchLabels: aggregated }] },
};

const execution: ClusterRole = {
  ...clusterRole(role('execution'), executionRules),
  metadata: { name: role('execution'), labels: aggregated },
};

/** What works may contain, as OCM grants it. ClusterRoles with the label of aggregation add more. */
export const workPayloadAccess = (subjects: Subjects): KubeObject[] => [
  aggregate,
  clusterRoleBinding(role('aggregate'), role('aggregate'), subjects),
  clusterRoleBinding(role('admin'), 'admin', subjects),
  execution,
];
