import { ConfigMapName, NamespaceName } from '@flotilla/api-types';
import { type KubeClient, KubeError } from '@flotilla/kube';
import { configMaps } from '@flotilla/kube/kinds';
import { parse } from 'yaml';
import type { HubInfo } from '../contract/index.ts';

/** Where a cluster says that it is. */
export interface PublishedCluster {
  readonly server?: string;
  /** Base64 of PEM. */
  readonly caData?: string;
}

interface ClusterInfoDocument {
  readonly clusters?: readonly { readonly cluster?: Readonly<Record<string, string | undefined>> }[];
}

/**
 * Reads what a hub publishes about itself in the ConfigMap kube-public/cluster-info; undefined if there is none, or if the caller may
 * not read it, as on hubs of OCM.
 */
export async function readClusterInfo(hub: KubeClient, signal?: AbortSignal): Promise<HubInfo | undefined> {
  try {
    const key = `${NamespaceName.KubePublic}/${ConfigMapName.ClusterInfo}`;
    const found = await hub.resource(configMaps).find(key, { ...(signal && { signal }) });
    const text = found?.data?.kubeconfig;
    const uid = found?.metadata?.uid;
    return (
      found && { ...(text !== undefined && verifiable(parseClusterInfo(text))), ...(uid !== undefined && { uid }) }
    );
  } catch (error) {
    if (KubeError.is(error, 'Forbidden')) return undefined;
    throw error;
  }
}

/** The one cluster of a `cluster-info` kubeconfig, which has neither user nor context. */
export function parseClusterInfo(text: string): PublishedCluster {
  let document: ClusterInfoDocument | null;
  try {
    document = parse(text);
  } catch (cause) {
    throw new KubeError('Config', 'the kubeconfig in kube-public/cluster-info of the hub is not YAML', { cause });
  }
  const cluster = document?.clusters?.[0]?.cluster;
  const { server, 'certificate-authority-data': caData } = cluster ?? {};
  return { ...(typeof server === 'string' && { server }), ...(caData && { caData }) };
}

/** Whatever a hub publishes: credentials are sent only to a server whose certificate can be verified. */
export function verifiable({ server, caData }: PublishedCluster): HubInfo {
  const isVerifiable = server !== undefined && URL.parse(server)?.protocol === 'https:';
  return { ...(isVerifiable && { server }), ...(caData !== undefined && { caData }) };
}
