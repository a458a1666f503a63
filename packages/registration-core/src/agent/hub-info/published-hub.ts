import { ConfigMapName, NamespaceName } from '@flotilla/api-types';
import { configMaps, type KubeClient, KubeError } from '@flotilla/kube';
import { parse } from 'yaml';

/** What a hub says about itself in `kube-public/cluster-info`. */
export interface PublishedHub {
  readonly server?: string;
  /** Base64 of PEM. */
  readonly caData?: string;
}

interface ClusterInfoDocument {
  readonly clusters?: readonly { readonly cluster?: Readonly<Record<string, string | undefined>> }[];
}

/** Reads it; `absent` if there is none or nobody lets the agent see it, as on hubs of OCM. */
export async function readPublishedHub(hub: KubeClient, signal: AbortSignal): Promise<PublishedHub | 'absent'> {
  let text: string | undefined;
  try {
    const found = await hub
      .resource(configMaps)
      .find(`${NamespaceName.KubePublic}/${ConfigMapName.ClusterInfo}`, { signal });
    text = found?.data?.kubeconfig;
  } catch (error) {
    if (!KubeError.is(error, 'Forbidden')) throw error;
  }
  return text === undefined ? 'absent' : parsePublishedHub(text);
}

/** The one cluster of a `cluster-info` kubeconfig, which has neither user nor context. */
export function parsePublishedHub(text: string): PublishedHub {
  let document: ClusterInfoDocument | null;
  try {
    document = parse(text);
  } catch (cause) {
    throw new KubeError('Config', 'the kubeconfig in kube-public/cluster-info of the hub is not YAML', { cause });
  }
  const cluster = document?.clusters?.[0]?.cluster;
  const { server, 'certificate-authority-data': caData } = cluster ?? {};
  // Whatever a hub says: credentials are sent to nobody whose certificate cannot be verified.
  const isVerifiable = typeof server === 'string' && URL.parse(server)?.protocol === 'https:';
  return { ...(isVerifiable && { server }), ...(caData && { caData }) };
}
