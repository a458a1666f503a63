/** What the number of replicas follows from. */
export interface ReplicaInput {
  /** Of the flag; 0 if it is not given. */
  readonly given: number;
  readonly hosted: boolean;
  readonly controlPlaneNodes: number;
}

/** How many replicas each program of a hub has, and why: for the condition. */
export function replicasOf({ given, hosted, controlPlaneNodes }: ReplicaInput): { replicas: number; why: string } {
  if (given > 0) return { replicas: given, why: '--deployment-replicas' };
  if (hosted) return { replicas: 1, why: 'hosted mode' };
  const why = `${controlPlaneNodes} control plane ${controlPlaneNodes === 1 ? 'node' : 'nodes'}`;
  return { replicas: controlPlaneNodes > 1 ? 3 : 1, why };
}
