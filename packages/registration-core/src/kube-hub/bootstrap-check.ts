import { managedClusters } from '@flotilla/api-types';
import { type KubeClient, KubeError } from '@flotilla/kube';
import { selfSubjectAccessReviews } from '@flotilla/kube/kinds';
import { type HubOffer, isDenied, type PolicyRule } from '../contract/index.ts';

/** Who asks. */
export interface BootstrapCheckOptions {
  readonly clusterName: string;
  /** What the driver needs beside ManagedClusters. */
  readonly rules: readonly PolicyRule[];
  readonly signal: AbortSignal;
}

const clusterRule: PolicyRule = {
  apiGroups: ['cluster.open-cluster-management.io'],
  resources: ['managedclusters'],
  verbs: ['create', 'get'],
};
/** A hub that answers slower is not the one to move to. */
const deadlineMs = 10_000;

/** Finds out whether a cluster could join this hub with this access. Never rejects. */
export async function checkBootstrap(hub: KubeClient, options: BootstrapCheckOptions): Promise<HubOffer> {
  const { clusterName, signal } = options;
  const call = { signal, deadlineMs };
  try {
    const needed = [
      // A join token may be for this cluster only.
      ...attributesOf(clusterRule).map((attributes) => ({ ...attributes, name: clusterName })),
      ...options.rules.flatMap(attributesOf).map((attributes) => ({ ...attributes, name: '' })),
    ];
    for (const { group, resource, verb, name } of needed) {
      const review = { spec: { resourceAttributes: { group, resource, verb, ...(name && { name }) } } };
      const { status } = await hub.resource(selfSubjectAccessReviews).create(review, call);
      if (!status?.allowed) return { kind: 'unavailable', message: `cannot ${verb} ${resource}` };
    }
    const cluster = await hub.resource(managedClusters).find(clusterName, call);
    return cluster && isDenied(cluster) ? { kind: 'denied', message: 'hub does not accept client' } : { kind: 'open' };
  } catch (error) {
    return { kind: 'unavailable', message: KubeError.from(error).message };
  }
}

const attributesOf = ({ apiGroups = [], resources = [], verbs }: PolicyRule) =>
  apiGroups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => ({ group, resource, verb }))));
