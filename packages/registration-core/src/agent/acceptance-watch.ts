import { type ManagedCluster, ManagedClusterCondition, managedClusters } from '@flotilla/api-types';
import {
  type AccessSource,
  type Clock,
  createInformers,
  createKubeClient,
  isConditionTrue,
  type Logger,
  type Transport,
} from '@flotilla/kube';

/** What an agent that is not let in yet learns of its acceptance by. */
export interface AcceptanceWatchOptions {
  readonly clusterName: string;
  readonly bootstrap: AccessSource;
  readonly connect: (access: AccessSource) => Transport;
  /** Opens all watches of the agent's own connection again. */
  readonly reopen: () => void;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
  readonly signal: AbortSignal;
}

/** Notices when the rights of the agent have come. */
export interface AcceptanceWatch {
  /** The hub forbade the agent something. */
  refused(): void;
  /** The agent's own watch shows its ManagedCluster, accepted or not. */
  seen(isAccepted: boolean): void;
}

/** Rights reach the authorizer of the hub a moment after they were written, so that once may be too early. */
const reopenAfterMs = [0, 500, 2000, 5000, 15_000];

/** Whether the hub has let a cluster in; its rights are there by then. */
export const isAccepted = (cluster: ManagedCluster): boolean =>
  isConditionTrue(cluster.status?.conditions, ManagedClusterCondition.HubAccepted);

/**
 * An agent that may not see its own ManagedCluster cannot watch for its acceptance, and trying again and again is slow or costly.
 * The bootstrap user may see it: its watch tells when to try. If that access has ended meanwhile, trying again has to do.
 */
export function watchAcceptance(options: AcceptanceWatchOptions): AcceptanceWatch {
  const { clusterName, bootstrap, connect, reopen, clock, log, random, signal } = options;
  let isRefused = false;
  let isSeen = false;
  let stopLooking: (() => void) | undefined;
  const cancels = new Set<() => void>();
  signal.addEventListener('abort', () => {
    stopLooking?.();
    for (const cancel of cancels) cancel();
  });

  const reopenSoon = (): void => {
    isRefused = false;
    for (const ms of reopenAfterMs) {
      const cancel = clock.schedule(ms, () => {
        cancels.delete(cancel);
        reopen();
      });
      cancels.add(cancel);
    }
  };
  const look = (): (() => void) => {
    const hub = createKubeClient({ transport: connect(bootstrap), clock, log });
    const informers = createInformers({ client: hub, clock, log, random });
    const clusters = informers.resource(managedClusters, { fieldSelector: `metadata.name=${clusterName}` });
    const subscription = clusters.changes.subscribe(({ type, object }) => {
      if (type !== 'deleted' && isAccepted(object)) reopenSoon();
    });
    return () => {
      stopLooking = undefined;
      subscription.unsubscribe();
      informers.close();
      hub.close().catch((error: unknown) => log.warn('cannot close a connection to the hub', { error }));
    };
  };

  return {
    refused() {
      if (signal.aborted) return;
      isRefused = true;
      if (!isSeen) stopLooking ??= look();
    },
    seen(accepted) {
      isSeen = true;
      stopLooking?.();
      // What was forbidden until now waits longer and longer to be tried again.
      if (accepted && isRefused) reopenSoon();
    },
  };
}
