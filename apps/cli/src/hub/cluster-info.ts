import { ConfigMapName, NamespaceName } from '@flotilla/api-types';
import {
  type ClusterAccess,
  type ConfigMap,
  configMaps,
  formatKubeconfig,
  type KubeClient,
  type KubeconfigDocument,
} from '@flotilla/kube';
import { parse } from 'yaml';
import { CliError } from '../errors.ts';
import { isMadeByCli, madeByCli } from '../ownership.ts';

/** `kube-public/cluster-info` with one nameless cluster, as kubeadm and OCM write it. */
export function clusterInfo({ server, ca }: ClusterAccess): ConfigMap {
  const cluster = {
    server,
    ...(ca !== undefined && { 'certificate-authority-data': Buffer.from(ca).toString('base64') }),
  };
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: ConfigMapName.ClusterInfo, namespace: NamespaceName.KubePublic, labels: madeByCli },
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

/** What is to be applied: nothing if the cluster has one that somebody else wrote, such as kubeadm. */
export async function wantedClusterInfo(client: KubeClient, access: ClusterAccess): Promise<ConfigMap[]> {
  const found = await client.resource(configMaps).find(`${NamespaceName.KubePublic}/${ConfigMapName.ClusterInfo}`);
  if (!found || isMadeByCli(found)) return [clusterInfo(access)];
  if (found.data?.kubeconfig) return [];
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
  const document: Partial<KubeconfigDocument> | null = parse(found.data?.kubeconfig ?? '');
  const cluster = document?.clusters?.[0]?.cluster;
  const ca = cluster?.['certificate-authority-data'];
  return {
    ...(cluster?.server && { server: cluster.server }),
    ...(ca && { ca: Buffer.from(ca, 'base64').toString('utf8') }),
  };
}
