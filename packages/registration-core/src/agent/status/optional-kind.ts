import { type Informer, KubeError, on, type Watch } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';

/** A list that takes longer than this comes with a later report. */
const syncTimeoutMs = 2000;

/**
 * Wakes the status report of a cluster for a kind that need not be installed. Where it is, its first list is awaited, so that the first
 * report has what it says. Where it is not, nothing waits.
 */
export function onOptionalKind<T extends KubeObject>(informer: Informer<T>, clusterName: string): Watch {
  const watch = on(informer, () => clusterName);
  return {
    subscribe(wake, onFailure, onStreamError) {
      const end = new AbortController();
      const subscription = watch.subscribe(wake, onFailure, onStreamError);
      // A first list that is empty changes no object, and still the claims are known from then on.
      const waited = informer.synced ? undefined : informer.whenSynced({ signal: end.signal });
      waited?.then(
        () => wake(clusterName, 'live'),
        () => {},
      );
      return {
        unsubscribe() {
          end.abort();
          subscription.unsubscribe();
        },
      };
    },
    async whenSynced({ signal }) {
      try {
        await informer.whenSynced({ signal, timeoutMs: syncTimeoutMs, endsOn: ['NotFound', 'Forbidden'] });
      } catch (error) {
        if (!KubeError.is(error, 'NotFound', 'Forbidden', 'Timeout')) throw error;
      }
    },
  };
}
