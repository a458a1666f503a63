import { ClusterRoleName, ConfigMapName, Label, NamespaceName, UserName } from '@flotilla/api-types';
import type { EpochMs } from '@flotilla/kube/clock';
import type { ConfigMap } from '@flotilla/kube/kinds';
import { formatTime, parseTime } from '@flotilla/kube/meta';

/** What a join token is restricted to. Its secret is elsewhere. */
export interface JoinToken {
  readonly id: string;
  /** The only cluster that it can register. */
  readonly clusterName?: string;
  /** The set that this cluster is put into. */
  readonly clusterSet?: string;
  /** How many certificates can be had with it. */
  readonly maxUses?: number;
  /** Milliseconds since the epoch; undefined if it never ends. */
  readonly expiresAt?: EpochMs;
}

/** A join token, and what the hub has seen of it. */
export interface JoinTokenRecord extends JoinToken {
  /** The uids of the certificate requests that got a certificate with it. */
  readonly uses: readonly string[];
  /** The uids of requests that were approved, each before its approval; those among `uses` may be left out. */
  readonly approved: readonly string[];
  /** The uid of the ManagedCluster that was put into the set. */
  readonly placed?: string;
}

/** Where the hub keeps what it knows of a join token. */
export const joinTokenKey = (id: string): string =>
  `${NamespaceName.Hub}/${ConfigMapName.JoinToken.of({ tokenId: id })}`;

/** The role of the holder. Whoever deletes it revokes the token: the token, its record and the binding are owned by it. */
export const joinTokenRole = (id: string): string => ClusterRoleName.JoinToken.of({ tokenId: id });

/** Who the holder is to the API server. */
export const joinTokenUser = (id: string): string => UserName.BootstrapToken.of({ tokenId: id });

/** The record of a new token. */
export function joinTokenRecord({ id, clusterName, clusterSet, maxUses, expiresAt }: JoinToken): ConfigMap {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: ConfigMapName.JoinToken.of({ tokenId: id }),
      namespace: NamespaceName.Hub,
      labels: { [Label.JoinToken]: id },
    },
    data: {
      'token-id': id,
      ...(clusterName !== undefined && { 'cluster-name': clusterName }),
      ...(clusterSet !== undefined && { 'cluster-set': clusterSet }),
      ...(maxUses !== undefined && { 'max-uses': String(maxUses) }),
      ...(expiresAt !== undefined && { expiration: formatTime(expiresAt) }),
    },
  };
}

const listOf = (text: string | undefined): string[] => text?.split(',').filter(Boolean) ?? [];

/** What a record says. Undefined if it is not one; a number or a time that cannot be read restricts all. */
export function readJoinToken({ metadata, data }: ConfigMap): JoinTokenRecord | undefined {
  const id = data?.['token-id'];
  if (!id || metadata?.name !== `join-token-${id}`) return undefined;
  const { 'cluster-name': clusterName, 'cluster-set': clusterSet, 'max-uses': maxUses, expiration, placed } = data;
  return {
    id,
    uses: listOf(data.uses),
    approved: listOf(data.approved),
    ...(clusterName && { clusterName }),
    ...(clusterSet && { clusterSet }),
    ...(maxUses && { maxUses: /^\d+$/.test(maxUses) ? Number(maxUses) : 0 }),
    ...(expiration && { expiresAt: parseTime(expiration) ?? 0 }),
    ...(placed && { placed }),
  };
}
