import { ClusterProxyApi } from '@flotilla/api-types';
import type { Lease } from '@flotilla/kube/kinds';

/** Where other replicas reach the holder of a tunnel: host and port. */
const addressAnnotation = `${ClusterProxyApi.group}/address`;

/** A replica of the hub. */
export interface Replica {
  readonly identity: string;
  /** Host and port. */
  readonly address: string;
}

/** What the record of a cluster says. */
export interface TunnelRecord {
  /** The replica that has the tunnel; undefined if none has. */
  readonly holder?: Replica;
  /** Since when there is, or is not, a tunnel; milliseconds since the epoch. */
  readonly since?: number;
}

export function recordOf(lease: Lease | undefined): TunnelRecord {
  const { holderIdentity: identity, acquireTime, renewTime } = lease?.spec ?? {};
  const address = lease?.metadata?.annotations?.[addressAnnotation];
  const since = Date.parse((identity ? acquireTime : renewTime) ?? '');
  return {
    ...(identity && address && { holder: { identity, address } }),
    ...(Number.isFinite(since) && { since }),
  };
}

/** What to do about a record. Of two replicas with a tunnel, that with the newer one is right: its agent has moved there. */
export type RecordDecision = 'nothing' | 'claim' | 'release' | 'retire';

export function decideRecord(record: TunnelRecord, own: Replica, tunnelSince: number | undefined): RecordDecision {
  const { holder, since } = record;
  const isOwn = holder?.identity === own.identity;
  if (tunnelSince === undefined) return isOwn ? 'release' : 'nothing';
  if (isOwn && holder.address === own.address && since === tunnelSince) return 'nothing';
  if (holder && !isOwn && since !== undefined && since > tunnelSince) return 'retire';
  return 'claim';
}

/** The Lease for a tunnel of this replica since then, or for none since then. */
export function leaseOf(cluster: string, replica: Replica | undefined, since: number): Lease {
  const time = new Date(since).toISOString().replace(/Z$/, '000Z');
  return {
    metadata: {
      name: ClusterProxyApi.lease,
      namespace: cluster,
      annotations: { [addressAnnotation]: replica?.address ?? '' },
    },
    spec: { holderIdentity: replica?.identity ?? '', acquireTime: time, renewTime: time },
  };
}
