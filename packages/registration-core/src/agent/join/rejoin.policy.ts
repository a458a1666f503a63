import type { BootstrapReason } from '../state/state.ts';
import type { JoinRecord } from './join-record.ts';

/** What the hub shows of itself. */
export interface HubEvidence {
  /** Uid of the ConfigMap kube-public/cluster-info. */
  readonly hub?: string | undefined;
  readonly revision?: string | undefined;
}

/** What the decision depends on besides the record. */
export interface RejoinSituation {
  readonly bootstrapReason: BootstrapReason;
  /** Fingerprint of the bootstrap credentials now. */
  readonly bootstrap: string;
  readonly evidence: HubEvidence;
}

/** Whether to ask the hub to accept the cluster, and why. */
export interface RejoinDecision {
  readonly create: boolean;
  readonly why: string;
}

/**
 * Whether an agent creates its ManagedCluster, which is not there. One that never joined does. One that joined does not, because an
 * administrator has deleted it, unless this hub cannot be the one that deleted it or there are new bootstrap credentials.
 */
export function decideRejoin(record: JoinRecord | undefined, situation: RejoinSituation): RejoinDecision {
  const { bootstrapReason, bootstrap, evidence } = situation;
  if (!record) return { create: true, why: 'the cluster never joined this hub' };
  if (bootstrapReason === 'BootstrapChanged') return { create: true, why: 'the bootstrap access leads to another hub' };
  if (record.bootstrap !== bootstrap) return { create: true, why: 'there are new bootstrap credentials' };
  if (record.removed) return { create: false, why: 'its ManagedCluster was deleted' };
  if (bootstrapReason === 'Unauthorized') {
    return { create: true, why: 'the hub does not know the credentials that it issued, so it is another one' };
  }
  if (record.hub !== undefined && evidence.hub !== undefined && record.hub !== evidence.hub) {
    return { create: true, why: 'another hub is at this address' };
  }
  if (isEarlier(evidence.revision, record.revision)) {
    return { create: true, why: 'the hub was restored from a time before the cluster joined' };
  }
  return { create: false, why: 'its ManagedCluster is gone' };
}

const isNumber = (revision: string | undefined): revision is string => revision !== undefined && /^\d+$/.test(revision);

const isEarlier = (now: string | undefined, joined: string | undefined): boolean =>
  isNumber(now) && isNumber(joined) && BigInt(now) < BigInt(joined);
