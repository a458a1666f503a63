import { ConfigMapName, NamespaceName } from '@flotilla/api-types';
import { type HubAddress, isOwnedBy } from '@flotilla/install';
import type { ClusterAccess, KubeClient } from '@flotilla/kube';
import { configMaps } from '@flotilla/kube/kinds';
import { parseClusterInfo } from '@flotilla/registration-core/kube-hub';
import { cliOwner } from '../cluster/owner.ts';
import { CliError } from '../errors/cli-error.ts';

/** What a hub is to publish about itself: nothing if its cluster-info has another owner, such as kubeadm. */
export async function publishedAddress(client: KubeClient, access: ClusterAccess): Promise<HubAddress | undefined> {
  const found = await client.resource(configMaps).find(`${NamespaceName.KubePublic}/${ConfigMapName.ClusterInfo}`);
  if (!found || isOwnedBy(cliOwner, found)) return access;
  if (found.data?.kubeconfig) return undefined;
  throw new CliError(
    'precondition',
    'empty kubeconfig data in cluster-info',
    'Remove the ConfigMap kube-public/cluster-info, which is of no use, and run it again.',
  );
}

/** Where a hub says that it is, and its CA. */
export interface ClusterInfo {
  readonly server?: string;
  readonly ca?: string;
}

/** Reads what a hub says about itself. */
export async function readClusterInfo(client: KubeClient): Promise<ClusterInfo> {
  const found = await client.resource(configMaps).get(`${NamespaceName.KubePublic}/${ConfigMapName.ClusterInfo}`);
  const { server, caData } = parseClusterInfo(found.data?.kubeconfig ?? '');
  return {
    ...(server !== undefined && { server }),
    ...(caData !== undefined && { ca: Buffer.from(caData, 'base64').toString('utf8') }),
  };
}
