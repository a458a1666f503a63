import { Label } from '@flotilla/api-types';
import { type CachedResource, type Informers, keyOf } from '@flotilla/kube';
import { nodes } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';

/** OCM's default, the retired label: then nodes with today's label count too. */
export const retiredSelector = `${Label.NodeRoleMaster}=`;

/** The nodes whose number decides how many replicas there are. */
export interface ControlPlaneNodes {
  readonly caches: readonly CachedResource<KubeObject>[];
  count(): number;
}

/** Watches control plane nodes, by their labels only. */
export function watchControlPlaneNodes(informers: Informers, selector: string): ControlPlaneNodes {
  const selectors = selector === retiredSelector ? [Label.NodeRoleMaster, Label.NodeRoleControlPlane] : [selector];
  const caches = selectors.map((labelSelector) => informers.metadata(nodes, { labelSelector }));
  return { caches, count: () => new Set(caches.flatMap((cache) => cache.list().map(keyOf))).size };
}
