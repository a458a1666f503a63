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

/** Who applies works: the work agent of the klusterlet, whose roles have OCM's names. */
const klusterletWork = `${ObjectName.Klusterlet}-work`;

const roleOf = (component: string, suffix: string): string => `open-cluster-management:${component}:${suffix}`;

/** What works may contain besides what the ClusterRole `admin` includes. */
export const executionRules: Rules = [
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

const aggregate = (name: string): ClusterRole => ({
  ...clusterRole(name, []),
  aggregationRule: { clusterRoleSelectors: [{ matchLabels: aggregated }] },
});

const execution = (name: string): ClusterRole => ({
  ...clusterRole(name, executionRules),
  metadata: { name, labels: aggregated },
});

/** What works may contain, as OCM grants it. ClusterRoles with the label of aggregation add more. */
export function workPayloadAccess(subjects: Subjects, component = klusterletWork): KubeObject[] {
  const role = (suffix: string) => roleOf(component, suffix);
  return [
    aggregate(role('aggregate')),
    clusterRoleBinding(role('aggregate'), role('aggregate'), subjects),
    clusterRoleBinding(role('admin'), 'admin', subjects),
    execution(role('execution')),
  ];
}
