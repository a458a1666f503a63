import { managedClusters } from '@flotilla/api-types';
import { type Clock, createInformers, createKubeClient, type Logger } from '@flotilla/kube';
import type { BootstrapSource } from '../../contract/index.ts';
import { isAccepted } from '../join/is-accepted.ts';

/** How an agent that is not accepted yet observes its acceptance. */
export interface AcceptanceWatchOptions {
  readonly clusterName: string;
  readonly bootstrap: BootstrapSource;
  /** Opens all watches of the agent's own connection again. */
  readonly reopen: () => void;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
  readonly signal: AbortSignal;
}

/** Notices when the agent has got its permissions. */
export interface AcceptanceWatch {
  /** The hub forbade the agent something. */
  refused(): void;
  /** The agent's own watch shows its ManagedCluster, accepted or not. */
  observed(isAccepted: boolean): void;
}

/** Permissions reach the authorizer of the hub a moment after they were written, so that once may be too early. */
const reopenAfterMs = [0, 500, 2000, 5000, 15_000];

/**
 * An agent that cannot read its own ManagedCluster cannot watch for its acceptance, and to retry is slow or costly. The bootstrap user
 * may read it: its watch shows when to retry. If that access has ended meanwhile, the agent retries with back-off.
 */
export function watchAcceptance(options: AcceptanceWatchOptions): AcceptanceWatch {
  const { clusterName, bootstrap, reopen, clock, log, random, signal } = options;
  let isRefused = false;
  let isVisible = false;
  let stopWatching: (() => void) | undefined;
  const cancels = new Set<() => void>();
  signal.addEventListener('abort', () => {
    stopWatching?.();
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
  const watch = (): (() => void) => {
    const connection = bootstrap.open();
    const hub = createKubeClient({ transport: connection.transport, clock, log });
    const informers = createInformers({ client: hub, clock, log, random });
    const clusters = informers.resource(managedClusters, { fieldSelector: `metadata.name=${clusterName}` });
    const subscription = clusters.changes.subscribe(({ type, object }) => {
      if (type !== 'deleted' && isAccepted(object)) reopenSoon();
    });
    return () => {
      stopWatching = undefined;
      subscription.unsubscribe();
      informers.close();
      connection.close().catch((error: unknown) => log.warn('cannot close a connection to the hub', { error }));
    };
  };

  return {
    refused() {
      if (signal.aborted) return;
      isRefused = true;
      if (!isVisible) stopWatching ??= watch();
    },
    observed(accepted) {
      isVisible = true;
      stopWatching?.();
      // What was forbidden until now waits longer and longer to be tried again.
      if (accepted && isRefused) reopenSoon();
    },
  };
}
