import { Annotation, KeyPrefix, Label, type ManagedCluster, Permission } from '@flotilla/api-types';
import { isDeleting } from '@flotilla/kube';
import type { AdmissionDecision } from '@flotilla/kube/admission';
import { dnsLabelPattern, nameSyntax } from '@flotilla/schema';
import {
  clusterIdentityAnnotation,
  forcedRemovalAnnotation,
  isRebootstrapAllowed,
  isRemovalForced,
  isReservedClusterName,
  rebootstrapAllowedAnnotation,
  reservedNameError,
  reservedNameHint,
  sharedIdentityAnnotation,
} from '../../contract/index.ts';
import { badRequest } from './decisions.ts';

/** A right that the requester must have, and the words of refusal without it. */
export interface NeededRight {
  readonly permission: {
    readonly group: string;
    readonly resource: string;
    readonly subresource: string;
    readonly verb: string;
  };
  readonly name: string;
  /** `resource/subresource.group`, for the message. */
  readonly what: string;
  readonly why: (user: string) => string;
  /** Refused without asking while this namespace is on its way out. */
  readonly livingNamespace?: string;
}

/** What is to be asked about a request, or why nothing needs to be. */
export type Validation = { readonly outcome: AdmissionDecision } | { readonly needs: readonly NeededRight[] };

const labelSyntax = new RegExp(dnsLabelPattern);
const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an " +
  `alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${nameSyntax.dnsLabel}')`;

/** What is wrong with the name of a cluster that is not a label. */
export const nameFormatError = `metadata.name format is not correct: ${label}`;

/** After the name of the user; of one who holds a join token for another cluster. */
export const boundElsewhere = '" holds a join token for another cluster';

function nameError(name: string): string | undefined {
  const errors = [
    ...(name.length > 63 ? ['must be no more than 63 characters'] : []),
    ...(labelSyntax.test(name) ? [] : [label]),
  ];
  return errors.length > 0 ? `metadata.name format is not correct: ${errors.join(',')}` : undefined;
}

/** Whether an address is a URL of https. */
const isHttpsUrl = (url: string): boolean => URL.canParse(url) && new URL(url).protocol === 'https:';

function shapeErrors(cluster: ManagedCluster, isNew: boolean): string[] {
  const configs = cluster.spec?.managedClusterClientConfigs ?? [];
  const urls = configs
    .filter(({ url }) => !isHttpsUrl(url))
    .map(({ url }) => `url "${url}" is invalid in client configs`);
  // A cluster of a bad name from before this check must stay changeable, or its finalizers could never be removed.
  const checksName = isNew || (configs.length > 0 && !isDeleting(cluster));
  const name = checksName ? nameError(cluster.metadata?.name ?? '') : undefined;
  const reserved = isNew && isReservedClusterName(cluster.metadata?.name ?? '');
  return [
    ...urls,
    ...(name ? [name] : []),
    ...(reserved ? [`${reservedNameError(cluster.metadata?.name ?? '')}. ${reservedNameHint}`] : []),
  ].sort();
}

const acceptRight = (cluster: string): NeededRight => ({
  permission: Permission.AcceptCluster,
  name: cluster,
  what: 'managedclusters/accept.cluster.open-cluster-management.io',
  why: (user) => `user "${user}" cannot update the HubAcceptsClient field`,
  livingNamespace: cluster,
});

const identityOf = (cluster: ManagedCluster | undefined): string =>
  cluster?.metadata?.annotations?.[clusterIdentityAnnotation] ?? '';

/** The name of an accepted cluster belongs to it: another cluster that joins under it must not take it over. */
const identityRight = (cluster: string, holder: string): NeededRight => ({
  permission: Permission.AcceptCluster,
  name: cluster,
  what: 'managedclusters/accept.cluster.open-cluster-management.io',
  why: (user) =>
    `the name is held by the cluster with kube-system uid ${holder}, and user "${user}" cannot give it to another`,
});

/** Finalizers that wait for the agent of a cluster are released by those who decide about clusters, not by the agent. */
const forceRight = (cluster: string): NeededRight => ({
  permission: Permission.AcceptCluster,
  name: cluster,
  what: 'managedclusters/accept.cluster.open-cluster-management.io',
  why: (user) => `user "${user}" cannot remove it without its agent (annotation ${forcedRemovalAnnotation})`,
});

const sharesIdentity = ({ metadata }: ManagedCluster): boolean =>
  metadata?.annotations?.[sharedIdentityAnnotation] === 'true';

/** That two clusters may be one is decided by those who accept clusters. */
const shareRight = (cluster: string): NeededRight => ({
  permission: Permission.AcceptCluster,
  name: cluster,
  what: 'managedclusters/accept.cluster.open-cluster-management.io',
  why: (user) =>
    `user "${user}" cannot let it share the identity of another cluster (annotation ${sharedIdentityAnnotation})`,
});

/** A new certificate for a cluster that has joined is allowed by those who decide about clusters, not by an agent. */
const rebootstrapRight = (cluster: string): NeededRight => ({
  permission: Permission.AcceptCluster,
  name: cluster,
  what: 'managedclusters/accept.cluster.open-cluster-management.io',
  why: (user) => `user "${user}" cannot allow it another certificate (annotation ${rebootstrapAllowedAnnotation})`,
});

/** What add-ons do for a cluster, and on which cluster they run, is not for its agent to say. */
const addOnAnnotationRight = (cluster: string): NeededRight => ({
  permission: Permission.AcceptCluster,
  name: cluster,
  what: 'managedclusters/accept.cluster.open-cluster-management.io',
  why: (user) => `user "${user}" cannot change add-on annotations (${KeyPrefix.AddOnAnnotation}…)`,
});

function changesAddOnAnnotations(cluster: ManagedCluster, old: ManagedCluster | undefined): boolean {
  const [before = {}, after = {}] = [old?.metadata?.annotations, cluster.metadata?.annotations];
  return Object.keys({ ...before, ...after }).some(
    (key) => key.startsWith(KeyPrefix.AddOnAnnotation) && before[key] !== after[key],
  );
}

/** On which cluster the hub installs an agent with the access that it has there, is not for the agent of this one to say. */
const importRight = (cluster: string): NeededRight => ({
  permission: Permission.AcceptCluster,
  name: cluster,
  what: 'managedclusters/accept.cluster.open-cluster-management.io',
  why: (user) =>
    `user "${user}" cannot choose the cluster that it is imported from (annotation ${Annotation.ClusterApiCluster})`,
});

const importedFrom = (cluster: ManagedCluster | undefined): string =>
  cluster?.metadata?.annotations?.[Annotation.ClusterApiCluster] ?? '';

const joinRight = (set: string): NeededRight => ({
  permission: Permission.JoinClusterSet,
  name: set,
  what: 'managedclustersets/join.cluster.open-cluster-management.io',
  why: (user) => `user "${user}" cannot add/remove a ManagedCluster to/from ManagedClusterSet "${set}"`,
});

const setOf = (cluster: ManagedCluster | undefined): string => cluster?.metadata?.labels?.[Label.ClusterSet] ?? '';

/** Checks the shape of a cluster, and says which rights its change needs. `old` is undefined for a new cluster. */
export function validateCluster(cluster: ManagedCluster, old: ManagedCluster | undefined): Validation {
  const errors = shapeErrors(cluster, old === undefined);
  if (errors.length > 0) return { outcome: badRequest(errors.join('\n')) };
  const accepts = cluster.spec?.hubAcceptsClient === true && old?.spec?.hubAcceptsClient !== true;
  const sets = setOf(old) === setOf(cluster) ? [] : [setOf(old), setOf(cluster)].filter((set) => set !== '');
  const name = cluster.metadata?.name ?? '';
  const holder = old?.spec?.hubAcceptsClient ? identityOf(old) : '';
  const takenOver = holder !== '' && holder !== identityOf(cluster);
  return {
    needs: [
      ...(accepts ? [acceptRight(name)] : []),
      ...(takenOver ? [identityRight(name, holder)] : []),
      ...(isRemovalForced(cluster) && !(old && isRemovalForced(old)) ? [forceRight(name)] : []),
      ...(sharesIdentity(cluster) && !(old && sharesIdentity(old)) ? [shareRight(name)] : []),
      ...(isRebootstrapAllowed(cluster) && !(old && isRebootstrapAllowed(old)) ? [rebootstrapRight(name)] : []),
      ...(changesAddOnAnnotations(cluster, old) ? [addOnAnnotationRight(name)] : []),
      ...(importedFrom(cluster) !== importedFrom(old) ? [importRight(name)] : []),
      ...sets.map(joinRight),
    ],
  };
}
