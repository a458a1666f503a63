import { managedClusters } from '@flotilla/api-types';
import { type KubeClient, KubeError } from '@flotilla/kube';
import type { ConnectionReason, ConnectionState } from '../contract/index.ts';

/** Whether the hub lets the agent read its own ManagedCluster: what a driver that has no check of its own is checked by. */
export async function checkOwnCluster(
  hub: KubeClient,
  clusterName: string,
  signal: AbortSignal,
): Promise<ConnectionState> {
  try {
    await hub.resource(managedClusters).find(clusterName, { signal });
    return { connected: true };
  } catch (error) {
    const { code, message } = KubeError.from(error);
    return { connected: false, reason: reasonOf(code), message };
  }
}

const reasonOf = (code: KubeError['code']): ConnectionReason =>
  code === 'Unauthorized' || code === 'Forbidden' ? code : 'Unavailable';
