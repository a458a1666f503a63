import type { StoredCredentials } from '../../contract/index.ts';
import { joinRecordKey } from '../state/secret-entries.ts';

/** What an agent records of its membership, to distinguish a cluster that was removed from a hub that lost its state. */
export interface JoinRecord {
  /** Of the ManagedCluster. */
  readonly name: string;
  /** Uid of the ManagedCluster. */
  readonly cluster: string;
  /** Fingerprint of the bootstrap credentials at the time: new ones mean that the cluster may join again. */
  readonly bootstrap: string;
  /** Uid of the ConfigMap kube-public/cluster-info, which is as old as the hub; absent if the hub shows none. */
  readonly hub?: string;
  /** Revision of the hub when the cluster was accepted. */
  readonly revision?: string;
  /** The agent saw that its ManagedCluster was deleted. */
  readonly removed?: true;
}

/** The record in an agent's Secret; undefined if the cluster never joined under this name, or if the entry cannot be read. */
export function readJoinRecord(stored: StoredCredentials | undefined, name: string): JoinRecord | undefined {
  const text = stored?.[joinRecordKey];
  if (!text) return undefined;
  try {
    const parsed: Partial<JoinRecord> | null = JSON.parse(text);
    const { cluster, bootstrap } = parsed ?? {};
    if (parsed?.name !== name || typeof cluster !== 'string' || typeof bootstrap !== 'string') return undefined;
    return { ...parsed, name, cluster, bootstrap };
  } catch {
    return undefined;
  }
}
