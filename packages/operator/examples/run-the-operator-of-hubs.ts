import { type KubeClient, realClock, silentLogger } from '@flotilla/kube';
import { type OperatedDriver, runHubOperator } from '@flotilla/operator';

/** Makes each ClusterManager of a cluster a hub for clusters that register by these drivers, until the signal aborts. */
export async function runOperator(client: KubeClient, drivers: OperatedDriver[], signal: AbortSignal): Promise<void> {
  const settings = {
    namespace: 'open-cluster-management',
    hubImage: 'example.com/hub:v1',
    drivers,
    syncLabels: false,
    replicas: 1,
    nodeSelector: 'node-role.kubernetes.io/control-plane',
    keepsDefinitions: false,
  };
  await runHubOperator({ settings, client, clock: realClock, log: silentLogger }, signal);
}
