import type { Node } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';

/** How many replicas agents get on a cluster with these control plane nodes: OCM's rule. One node that fails takes all down anyway. */
export const replicasFor = (controlPlaneNodes: number): number => (controlPlaneNodes <= 1 ? 1 : 3);

/** The number of different nodes in several lists, which may have nodes in common. */
export const countNodes = (...lists: readonly (readonly Pick<KubeObject & Node, 'metadata'>[])[]): number =>
  new Set(lists.flat().map(({ metadata }) => metadata?.name)).size;
