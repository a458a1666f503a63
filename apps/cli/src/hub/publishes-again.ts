import type { Connection } from '../context.ts';
import { type ClusterInfo, readClusterInfo } from './cluster-info.ts';
import { isOnlyLocal } from './join-info.ts';

/**
 * Whether a repeated `init` publishes the address of its kubeconfig. An address that somebody chose stays. An authority that has changed
 * would stop all joins, and an address of this machine alone all that come from others.
 */
export async function publishesAgain({ client, access }: Connection): Promise<boolean> {
  const { server, ca } = await readClusterInfo(client).catch((): ClusterInfo => ({}));
  if (server === undefined) return true;
  if (ca?.trim() !== access.ca?.trim()) return true;
  return isOnlyLocal(server) && !isOnlyLocal(access.server);
}
