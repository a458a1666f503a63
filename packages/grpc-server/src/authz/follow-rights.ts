import { Label } from '@flotilla/api-types';
import type { Informers } from '@flotilla/kube';
import { clusterRoleBindings, roleBindings } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';

/** The bindings of clusters have the label of their cluster; that in the namespace of the cluster is known by that, too. */
const clusterOf = ({ metadata }: KubeObject): string | undefined =>
  metadata?.namespace || metadata?.labels?.[Label.ClusterName] || undefined;

/** Calls back with a cluster when a right was granted to its agents or taken from them. Call the result to end. */
export function followRights(informers: Informers, onChange: (clusterName: string) => void): () => void {
  const selection = { labelSelector: Label.ClusterName };
  const caches = [clusterRoleBindings, roleBindings].map((type) => informers.metadata(type, selection));
  const subscriptions = caches.map((cache) =>
    cache.changes.subscribe(({ object, initial }) => {
      const clusterName = clusterOf(object);
      if (!initial && clusterName) onChange(clusterName);
    }),
  );
  return () => {
    for (const subscription of subscriptions) subscription.unsubscribe();
    for (const cache of caches) cache.close();
  };
}
