import { managedClusters } from '@flotilla/api-types';
import type { Informers } from '@flotilla/kube';

/** Which cluster to watch, and where. */
export interface AcceptedAgainOptions {
  readonly informers: Informers;
  readonly clusterName: string;
  /** Whether the cluster counts as not accepted before the first observation. */
  readonly wasRefused: boolean;
  readonly signal: AbortSignal;
}

/**
 * Calls back once when an administrator accepts the cluster, who refused its request before: it is worth asking again at once, so that
 * there is a request to approve. The result ends the watch.
 */
export function onceAccepted(
  { informers, clusterName, wasRefused, signal }: AcceptedAgainOptions,
  onAccepted: () => void,
): () => void {
  const clusters = informers.resource(managedClusters, { fieldSelector: `metadata.name=${clusterName}` });
  let isRefused = wasRefused;
  const subscription = clusters.changes.subscribe(({ type, object }) => {
    const isAccepted = type !== 'deleted' && object.spec?.hubAcceptsClient === true;
    if (isAccepted && isRefused) {
      // A cluster that is cached already is emitted while subscribing, before there is something to end.
      queueMicrotask(() => end());
      onAccepted();
    }
    isRefused = !isAccepted;
  });
  const end = () => {
    signal.removeEventListener('abort', end);
    subscription.unsubscribe();
    clusters.close();
  };
  signal.addEventListener('abort', end, { once: true });
  return end;
}
