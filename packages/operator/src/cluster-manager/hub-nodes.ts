import { Label } from '@flotilla/api-types';
import { type CachedResource, type Informers, keyOf } from '@flotilla/kube';
import { nodes } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';

/** OCM's default, the retired label: then nodes with today's label count too. */
export const retiredSelector = `${Label.NodeRoleMaster}=`;

/** The nodes whose number decides how many replicas a hub has. */
export interface HubNodes {
  readonly caches: readonly CachedResource<KubeObject>[];
  controlPlane(): number;
  /** All nodes, the control plane included. */
  all(): number;
}

/** Watches nodes, without their spec and status. */
export function watchHubNodes(informers: Informers, selector: string): HubNodes {
  const selectors = selector === retiredSelector ? [Label.NodeRoleMaster, Label.NodeRoleControlPlane] : [selector];
  const controlPlane = selectors.map((labelSelector) => informers.metadata(nodes, { labelSelector }));
  const all = informers.metadata(nodes);
  return {
    caches: [...controlPlane, all],
    controlPlane: () => new Set(controlPlane.flatMap((cache) => cache.list().map(keyOf))).size,
    all: () => all.list().length,
  };
}
