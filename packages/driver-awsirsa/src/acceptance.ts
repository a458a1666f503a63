import { ManagedClusterCondition, managedClusters } from '@flotilla/api-types';
import { isConditionTrue } from '@flotilla/kube';
import type { CredentialIssuer } from '@flotilla/registration-core/contract';

const syncTimeoutMs = 30_000;

/**
 * Has no credentials to obtain: the kubeconfig that leads to the hub is all, and the agent may store it as soon as the hub accepts the
 * cluster. Before that, it would lead nowhere.
 */
export const acceptanceIssuer =
  (clusterName: string, evaluate: CredentialIssuer['evaluate']): CredentialIssuer['start'] =>
  ({ informers, signal, wake }) => {
    const clusters = informers.resource(managedClusters, { fieldSelector: `metadata.name=${clusterName}` });
    const subscription = clusters.changes.subscribe(({ initial }) => {
      if (!initial) wake();
    });
    signal.addEventListener('abort', () => {
      subscription.unsubscribe();
      clusters.close();
    });
    return async (stored) => {
      if (evaluate(stored).usable) return { kind: 'unchanged' };
      await clusters.whenSynced({ signal, timeoutMs: syncTimeoutMs });
      const conditions = clusters.get(clusterName)?.status?.conditions;
      if (isConditionTrue(conditions, ManagedClusterCondition.HubAccepted))
        return { kind: 'obtained', credentials: {} };
      const why = `ManagedCluster "${clusterName}" waits on the hub to be accepted, by an administrator or by a pattern of its ARN`;
      return { kind: 'waiting', why };
    };
  };
