/** What the number of replicas follows from. */
export interface ReplicaInput {
  /** Of the flag; 0 if it is not given. */
  readonly given: number;
  readonly hosted: boolean;
  readonly controlPlaneNodes: number;
  readonly nodes: number;
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/**
 * How many replicas each program of a hub has, and why: for the condition. OCM counts nodes of the control plane. Managed Kubernetes
 * shows none of them, so that all nodes count there: one replica of webhooks that fail closed must not depend on one node.
 */
export function replicasOf({ given, hosted, controlPlaneNodes, nodes }: ReplicaInput): {
  replicas: number;
  why: string;
} {
  if (given > 0) return { replicas: given, why: 'set with --deployment-replicas' };
  if (hosted) return { replicas: 1, why: 'the hub is hosted' };
  const seen = controlPlaneNodes > 0 ? controlPlaneNodes : nodes;
  const noun = controlPlaneNodes > 0 ? 'control plane node' : 'node';
  const why =
    controlPlaneNodes > 0
      ? `the cluster has ${counted(seen, noun)}`
      : `the cluster has ${counted(seen, noun)} and shows none of its control plane`;
  return { replicas: seen > 1 ? 3 : 1, why };
}
