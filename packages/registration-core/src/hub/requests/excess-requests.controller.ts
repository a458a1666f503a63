import type { ManagedCluster } from '@flotilla/api-types';
import { type Controller, defineController, done, type EventInput, on } from '@flotilla/kube';
import {
  clusterOfAgent,
  maxUndecidedOfAgent,
  requestCache,
  requesterOf,
  undecidedOf,
} from '../../certificates/index.ts';
import type { HubDeps } from '../deps.ts';

/** Names an agent that fills the hub with requests. The hub approves none of them until some are decided or deleted. */
export function excessRequestsController({ informers, clusters, recorder }: HubDeps): Controller {
  const requests = requestCache(informers);
  /** Agents that were reported. */
  const reported = new Set<string>();
  return defineController({
    name: 'excess-requests',
    // A hub without drivers of certificates may lack the rights.
    isOptional: true,
    watches: [on(requests, (request) => requesterOf(request), isOfAgent)],
    reads: [clusters],
    async reconcile(user, { log }) {
      const count = undecidedOf(requests, user);
      if (count <= maxUndecidedOfAgent) {
        reported.delete(user);
        return done;
      }
      if (reported.has(user)) return done;
      reported.add(user);
      const name = clusterOfAgent(user) ?? '';
      log.warn('an agent has too many undecided requests; none of them is approved', { user, count });
      const cluster = clusters.get(name);
      if (cluster) recorder.record(cluster, excessEvent(cluster, user));
      return done;
    },
  });
}

const isOfAgent = ({ object }: { readonly object: Parameters<typeof requesterOf>[0] }): boolean =>
  clusterOfAgent(requesterOf(object)) !== undefined;

const excessEvent = ({ metadata }: ManagedCluster, user: string): EventInput => ({
  type: 'Warning',
  reason: 'TooManyCertificateRequests',
  action: 'TooManyCertificateRequests',
  namespace: metadata?.name ?? '',
  note: `User ${user} has more than ${maxUndecidedOfAgent} undecided CertificateSigningRequests. The hub approves none of them until some are decided or deleted: kubectl get csr. If the cluster ${metadata?.name} does not behave as it should, deny it.`,
});
