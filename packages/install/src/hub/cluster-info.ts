import { ConfigMapName, NamespaceName } from '@flotilla/api-types';
import type { ClusterAccess } from '@flotilla/kube';
import type { ConfigMap } from '@flotilla/kube/kinds';
import { formatKubeconfig } from '@flotilla/kube/kubeconfig';

/** Where clusters reach the hub, and the CA by which they verify it (PEM). */
export type HubAddress = Pick<ClusterAccess, 'server' | 'ca'>;

/** `kube-public/cluster-info` with one nameless cluster, as kubeadm and OCM write it. */
export function clusterInfo({ server, ca }: HubAddress): ConfigMap {
  const cluster = {
    server,
    ...(ca !== undefined && { 'certificate-authority-data': Buffer.from(ca).toString('base64') }),
  };
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: ConfigMapName.ClusterInfo, namespace: NamespaceName.KubePublic },
    data: {
      kubeconfig: formatKubeconfig({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [{ name: '', cluster }],
        contexts: [],
        users: [],
      }),
    },
  };
}
