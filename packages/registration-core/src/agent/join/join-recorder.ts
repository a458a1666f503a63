import type { ManagedCluster } from '@flotilla/api-types';
import { isDeleting, KubeError, type Logger } from '@flotilla/kube';
import { semanticEqual } from '@flotilla/kube/meta';
import type { BootstrapSource } from '../../contract/index.ts';
import type { CredentialStore } from '../credentials/credential-store.ts';
import { joinRecordKey } from '../state/secret-entries.ts';
import { isAccepted } from './is-accepted.ts';
import { type JoinRecord, readJoinRecord } from './join-record.ts';

/** What keeps the join record. */
export interface JoinRecorderOptions {
  readonly store: Pick<CredentialStore, 'read' | 'write'>;
  readonly bootstrap: Pick<BootstrapSource, 'current'>;
  readonly log: Logger;
}

/** Keeps in the agent's Secret as what the cluster joined, and that it was removed. Writes only what changed. */
export interface JoinRecorder {
  /** The ManagedCluster as the hub has it; `hub` is the uid that identifies the hub, if it is known. */
  observe(cluster: ManagedCluster, hub?: string): Promise<void>;
}

/** A recorder; what cannot be written is written with the next observation. */
export function joinRecorder({ store, bootstrap, log }: JoinRecorderOptions): JoinRecorder {
  let last: Promise<void> = Promise.resolve();
  /** As it is stored; read once, because only this agent writes it. */
  let known: { record: JoinRecord | undefined } | undefined;
  /** While it cannot be read, it is what it was: that the cluster was removed has to be recorded then, too. */
  const fingerprintNow = async (before: JoinRecord | undefined): Promise<string> => {
    try {
      return (await bootstrap.current()).fingerprint;
    } catch (error) {
      if (!KubeError.is(error, 'Config')) throw error;
      return before?.bootstrap ?? '';
    }
  };
  const record = async (cluster: ManagedCluster, hub: string | undefined): Promise<void> => {
    const { name = '', uid, resourceVersion: revision } = cluster.metadata ?? {};
    const isRemoved = isDeleting(cluster);
    if (uid === undefined || !(isRemoved || isAccepted(cluster))) return;
    known ??= { record: readJoinRecord(await store.read(), name) };
    const before = known.record;
    const isSame = before?.cluster === uid;
    // What was said when the cluster was removed stays, so that credentials that come later count as new.
    if (isSame && isRemoved && before.removed) return;
    const hubUid = hub ?? (isSame ? before.hub : undefined);
    const next: JoinRecord = {
      name,
      cluster: uid,
      bootstrap: await fingerprintNow(before),
      ...(hubUid !== undefined && { hub: hubUid }),
      ...(isSame ? before.revision && { revision: before.revision } : revision && { revision }),
      ...(isRemoved && { removed: true }),
    };
    if (semanticEqual(before, next)) return;
    await store.write({ [joinRecordKey]: JSON.stringify(next) });
    known = { record: next };
  };
  return {
    observe(cluster, hub) {
      last = last
        .then(() => record(cluster, hub))
        .catch((error: unknown) => log.warn('cannot record the membership of the cluster', { error }));
      return last;
    },
  };
}
