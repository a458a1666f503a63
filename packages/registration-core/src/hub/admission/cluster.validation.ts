import { Label, type ManagedCluster, Permission } from '@flotilla/api-types';
import { isDeleting } from '@flotilla/kube';
import type { AdmissionDecision } from '@flotilla/kube/admission';
import { dnsLabelPattern, nameSyntax } from '@flotilla/schema';
import {
  clusterIdentityAnnotation,
  isReservedClusterName,
  reservedNameError,
  reservedNameHint,
} from '../../contract/index.ts';
import { badRequest } from './decisions.ts';
import { changedGuards, type GuardedAnnotation, refusalOf } from './guarded-annotations.ts';

/** A right that the requester must have, and the words of refusal without it. */
export interface NeededRight {
  readonly permission: {
    readonly group: string;
    readonly resource: string;
    readonly subresource?: string;
    readonly verb: string;
    /** The right is to whatever is in it; without it, to the object of this name. */
    readonly namespace?: string;
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

/** What an annotation decides is for those to decide who accept the cluster. */
const guardRight = (cluster: string, guard: GuardedAnnotation): NeededRight => ({
  permission: Permission.AcceptCluster,
  name: cluster,
  what: 'managedclusters/accept.cluster.open-cluster-management.io',
  why: (user) => `user "${user}" ${refusalOf(guard)}`,
});

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
      ...changedGuards(cluster, old).map((guard) => guardRight(name, guard)),
      ...sets.map(joinRight),
    ],
  };
}
