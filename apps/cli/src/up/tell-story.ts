import { Label, type ManagedCluster, managedClusters } from '@flotilla/api-types';
import { type Clock, certificateSigningRequests, createInformers, type KubeClient } from '@flotilla/kube';
import { merge } from 'rxjs';
import { stepsTaken, storyLines } from './story.ts';

/** Follows clusters on their way in. */
export interface Story extends Disposable {
  /** The cluster as last seen. */
  cluster(name: string): ManagedCluster | undefined;
  /** Resolves when the cluster has taken this many steps; rejects if the signal aborts first. */
  reached(name: string, step: number, signal: AbortSignal): Promise<void>;
}

/** Tells each step of each cluster as the hub sees it. */
export function tellStory(client: KubeClient, clock: Clock, tell: (line: string) => void): Story {
  const informers = createInformers({ client, clock });
  const clusters = informers.resource(managedClusters);
  const byCluster = 'cluster';
  const requests = informers.resource(certificateSigningRequests, {
    labelSelector: Label.ClusterName,
    indexes: { [byCluster]: ({ metadata }) => [metadata?.labels?.[Label.ClusterName] ?? ''] },
  });
  const taken = new Map<string, number>();
  const waiting = new Set<() => void>();
  const look = () => {
    for (const cluster of clusters.list()) {
      const name = cluster.metadata?.name ?? '';
      const before = taken.get(name) ?? 0;
      const now = stepsTaken(cluster, requests.byIndex(byCluster, name));
      for (const line of storyLines(name, before, now)) tell(line);
      taken.set(name, Math.max(before, now));
    }
    for (const check of waiting) check();
  };
  const subscription = merge(clusters.changes, requests.changes).subscribe(look);
  return {
    cluster: (name) => clusters.get(name),
    reached: (name, step, signal) =>
      new Promise((resolve, reject) => {
        const settle = (act: () => void) => {
          waiting.delete(check);
          signal.removeEventListener('abort', abort);
          act();
        };
        const check = () => {
          if ((taken.get(name) ?? 0) >= step) settle(resolve);
        };
        const abort = () => settle(() => reject(signal.reason));
        signal.addEventListener('abort', abort, { once: true });
        if (signal.aborted) abort();
        waiting.add(check);
        check();
      }),
    [Symbol.dispose]() {
      subscription.unsubscribe();
      informers.close();
    },
  };
}
