import { ApiGroup, hubHashOf, NamespaceName } from '@flotilla/api-types';
import { impersonationRules } from '@flotilla/cluster-proxy/api';
import type { KubeObject } from '@flotilla/schema';
import { metricsRules, registrationRules } from '../agent/registration-rules.ts';
import { workPayloadAccess, workRules } from '../agent/work-rules.ts';
import { namespace } from '../objects/namespace.ts';
import {
  accountSubject,
  boundClusterRole,
  boundRole,
  clusterRoleBinding,
  type Rules,
  type Subjects,
  serviceAccount,
} from '../objects/rbac.ts';

/** Where the service accounts of hubs are on the clusters that they reach themselves. */
export const memberNamespace = 'open-cluster-management-push';

/** On what belongs to a pushed cluster on the member: the name that its hub has for it. */
export const pushedClusterLabel = 'open-cluster-management.io/pushed-cluster';

/** Beside it: by which hub, as the hash of its address as far as it fits in a label. */
export const pushingHubLabel = 'open-cluster-management.io/pushing-hub';

/** The hash of a hub as labels have it. */
export const hubLabelOf = (hubHash: string): string => hubHash.slice(0, 63);

/** What a hub needs on a member. */
export interface MemberValues {
  readonly clusterName: string;
  /** The address of the hub: two hubs may have the same name for one member. */
  readonly hubServer: string;
  /** Where the service account is. Default: `open-cluster-management-push`. */
  readonly namespace?: string;
  /** ClusterRoles of the member that works may use, instead of what OCM grants to works. Empty: works may contain nothing. */
  readonly workRoles?: readonly string[];
  /** Whether users of the hub may reach the member through it: the right to act for them. */
  readonly clusterProxy?: boolean;
  /** Facts about the cluster, by the names of claims. */
  readonly claims?: Readonly<Record<string, string>>;
}

/** What tells the hubs of one member apart. */
const idOf = ({ clusterName, hubServer }: Pick<MemberValues, 'clusterName' | 'hubServer'>): string =>
  `${clusterName.slice(0, 40)}-${hubHashOf(hubServer).slice(0, 8)}`;

/** As whom the hub comes. */
export const memberAccount = (values: MemberValues) =>
  serviceAccount(values.namespace ?? memberNamespace, `push-${idOf(values)}`);

/** The ClusterRole of the hub, and the beginning of the names of the others. */
export const memberRoleName = (values: Pick<MemberValues, 'clusterName' | 'hubServer'>): string =>
  `open-cluster-management:push-${idOf(values)}`;

/** Its own token, and no other. */
const tokenRules = (account: string): Rules => [
  { apiGroups: [ApiGroup.Core], resources: ['serviceaccounts/token'], resourceNames: [account], verbs: ['create'] },
];

/** What works may contain: OCM's grants, or the roles that the user chose. */
function payloadAccess(values: MemberValues, subjects: Subjects): KubeObject[] {
  const { workRoles } = values;
  if (!workRoles) return workPayloadAccess(subjects, `push-${idOf(values)}-work`);
  return workRoles.map((role) => clusterRoleBinding(`${memberRoleName(values)}:work:${role}`, role, subjects));
}

/** The objects by which a hub reaches a member, in the order in which they are applied. */
export function memberObjects(values: MemberValues): KubeObject[] {
  const account = memberAccount(values);
  const { name = '', namespace: place = '' } = account.metadata ?? {};
  const subjects = [accountSubject(account)];
  const labels = {
    [pushedClusterLabel]: values.clusterName,
    [pushingHubLabel]: hubLabelOf(hubHashOf(values.hubServer)),
  };
  const objects: KubeObject[] = [
    account,
    ...boundRole(place, `${name}-token`, tokenRules(name), subjects),
    ...boundRole(NamespaceName.AgentAddOn, `${name}-addons`, secretRules, subjects),
    ...boundClusterRole(memberRoleName(values), [...reportRules, ...recordRules(values), ...reviewRules], subjects),
    ...payloadAccess(values, subjects),
    ...(values.clusterProxy
      ? boundClusterRole(`${memberRoleName(values)}:cluster-proxy`, impersonationRules(), subjects)
      : []),
    ...Object.entries(values.claims ?? {}).map(([claim, value]) => clusterClaim(claim, value)),
  ];
  return [
    namespace(place),
    // Where add-ons run, as on a cluster with an agent.
    namespace(NamespaceName.AgentAddOn),
    ...objects.map((object) => ({
      ...object,
      metadata: { ...object.metadata, labels: { ...object.metadata?.labels, ...labels } },
    })),
  ];
}

const isAbout = (resource: string) => (rule: Rules[number]) => rule.resources?.includes(resource) ?? false;

/** What is reported. Secrets are not: the credentials of add-ons go to the namespace of add-ons, and there alone. */
const reportRules = registrationRules.filter((rule) => !isAbout('secrets')(rule));
const secretRules = registrationRules.filter(isAbout('secrets'));

/**
 * The records of works, and what executors need. Who narrows what works may contain narrows executors too: as a service account of
 * their choice, works could do whatever that one may.
 */
const recordRules = ({ workRoles }: MemberValues): Rules =>
  workRoles ? workRules.filter(({ verbs }) => !verbs.includes('impersonate')) : workRules;

/** Works with an executor review its access. The hub serves no metrics on the member, so it reviews no tokens there. */
const reviewRules = metricsRules.filter(({ resources }) => resources?.includes('subjectaccessreviews'));

const clusterClaim = (name: string, value: string): KubeObject & { spec: { value: string } } => ({
  apiVersion: `${ApiGroup.Cluster}/v1alpha1`,
  kind: 'ClusterClaim',
  metadata: { name },
  spec: { value },
});
