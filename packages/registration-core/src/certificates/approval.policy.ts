import {
  Annotation,
  GroupName,
  Label,
  type ManagedCluster,
  ManagedClusterCondition,
  mayRegister,
  UserName,
} from '@flotilla/api-types';
import { findCondition, isConditionTrue } from '@flotilla/kube';
import type { CertificateSigningRequest } from '@flotilla/kube/kinds';
import { clusterIdentityAnnotation } from '../contract/index.ts';

/** What a PKCS#10 request asks to be certified. */
export interface RequestedSubject {
  readonly commonNames: readonly string[];
  readonly organizations: readonly string[];
  readonly organizationUnits: readonly string[];
  /** Whether it asks for names of hosts, addresses or anything else beside user, groups and units. */
  readonly hasAlternativeNames: boolean;
  /** Of the public key, see `keyFingerprint`: requests of one name and different keys come from different holders. */
  readonly keyFingerprint: string;
}

/** A request of the agent of a cluster, recognised beyond doubt. */
export interface AgentRequest {
  readonly clusterName: string;
  readonly commonName: string;
}

const allowedUsages = new Set(['digital signature', 'key encipherment', 'client auth']);

/**
 * Whether a request is one that an agent makes for itself: signer, label, common name and organizations must all name the same
 * cluster, and it must ask for nothing else. Says nothing about who sent it, but that the holder of a join token for one cluster
 * cannot ask for another. Undefined means: leave it to an administrator.
 */
export function recognizeAgentRequest(
  { metadata, spec }: CertificateSigningRequest,
  subject: RequestedSubject | undefined,
  signerName: string,
): AgentRequest | undefined {
  const clusterName = metadata?.labels?.[Label.ClusterName];
  if (!clusterName || metadata?.labels?.[Label.AddOnName] !== undefined) return undefined;
  if (spec.signerName !== signerName || !subject) return undefined;
  // The API server itself fills in the groups of the sender.
  if (!mayRegister(spec.groups ?? [], clusterName)) return undefined;
  const usages = spec.usages ?? [];
  if (!usages.includes('client auth') || !usages.every((usage) => allowedUsages.has(usage))) return undefined;
  const [commonName = '', ...otherNames] = subject.commonNames;
  if (otherNames.length > 0 || subject.hasAlternativeNames || subject.organizationUnits.length > 0) return undefined;
  if (UserName.Agent.parse(commonName)?.cluster !== clusterName) return undefined;
  // The group of a cluster with this name would be the group of all clusters.
  if (GroupName.Cluster.parse(GroupName.ManagedClusters)?.cluster === clusterName) return undefined;
  const own = subject.organizations.filter((organization) => organization !== GroupName.ManagedClusters);
  if (new Set(own).size !== 1 || own[0] !== GroupName.Cluster.of({ cluster: clusterName })) return undefined;
  return { clusterName, commonName };
}

/** Whether a request comes from another cluster than the one that holds the name on the hub; false if either does not say. */
export function isFromAnotherCluster(request: CertificateSigningRequest, cluster: ManagedCluster | undefined): boolean {
  const asking = request.metadata?.annotations?.[clusterIdentityAnnotation];
  const holding = cluster?.metadata?.annotations?.[clusterIdentityAnnotation];
  return !!asking && !!holding && asking !== holding;
}

/**
 * Whether a cluster has joined and its agent reports: it has a certificate and renews it, so the sender of a first request is another
 *party, or lost it. The hub itself makes Available unknown when the heartbeats end.
 */
export function isReporting(cluster: ManagedCluster | undefined): boolean {
  const conditions = cluster?.status?.conditions;
  if (!isConditionTrue(conditions, ManagedClusterCondition.Joined)) return false;
  return findCondition(conditions, ManagedClusterCondition.Available)?.status !== 'Unknown';
}

/** Whether an administrator withholds further certificates of a cluster. */
export const isRenewalWithheld = (cluster: ManagedCluster | undefined): boolean =>
  cluster?.metadata?.annotations?.[Annotation.RenewalWithheld] === 'true';

/** Who may decide about a recognised request. */
export type ApprovalPath = 'renewal' | 'bootstrap' | 'none';

/** A renewal is sent by the very user it is for; a first request by a user whom the options of the hub name. */
export function approvalPath(
  { spec }: CertificateSigningRequest,
  { commonName }: AgentRequest,
  trustedUsers: ReadonlySet<string>,
): ApprovalPath {
  if (spec.username === undefined) return 'none';
  if (spec.username === commonName) return 'renewal';
  return trustedUsers.has(spec.username) ? 'bootstrap' : 'none';
}
