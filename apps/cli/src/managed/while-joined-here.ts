import { klusterlets, ObjectName } from '@flotilla/api-types';
import { type Clock, createInformers, isDeleting, type KubeClient } from '@flotilla/kube';

/** Watches whether a cluster is still to be joined; the signal aborts when `unjoin` takes the Klusterlet away. */
export function whileJoinedHere(client: KubeClient, clock: Clock): Disposable & { readonly signal: AbortSignal } {
  const informers = createInformers({ client, clock });
  const end = new AbortController();
  const left = informers.resource(klusterlets).changes.subscribe(({ type, key, object }) => {
    if (key === ObjectName.Klusterlet && (type === 'deleted' || isDeleting(object))) end.abort();
  });
  return {
    signal: end.signal,
    [Symbol.dispose]() {
      left.unsubscribe();
      informers.close();
    },
  };
}
