import { managedClusters } from '@flotilla/api-types';
import { type KubeClient, KubeError } from '@flotilla/kube';
import type { AgentDriver } from '../../contract/index.ts';
import type { HubEvidence } from './rejoin.policy.ts';

/**
 * What distinguishes a hub from another at the same address, and from itself at another time; what the hub does not show is absent. A driver
 * that reads nothing about the hub has no revisions of the hub either.
 */
export async function readHubEvidence(
  hub: KubeClient,
  driver: Pick<AgentDriver, 'readHubInfo'>,
  clusterName: string,
  signal: AbortSignal,
): Promise<HubEvidence> {
  if (!driver.readHubInfo) return {};
  const fieldSelector = `metadata.name=${clusterName}`;
  const [info, list] = await Promise.all([
    ifReadable(driver.readHubInfo(hub, signal)),
    ifReadable(hub.resource(managedClusters).list({ fieldSelector, signal })),
  ]);
  return { hub: info?.uid, revision: list?.metadata.resourceVersion };
}

async function ifReadable<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (KubeError.is(error, 'Forbidden', 'Config')) return undefined;
    throw error;
  }
}
