import { klusterlets, ObjectName } from '@flotilla/api-types';
import { type Clock, createInformers, isDeleting, type KubeClient } from '@flotilla/kube';

/** Watches the Klusterlet of a cluster; the signal aborts when `unjoin` deletes it. */
export function watchKlusterlet(client: KubeClient, clock: Clock): Disposable & { readonly signal: AbortSignal } {
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
