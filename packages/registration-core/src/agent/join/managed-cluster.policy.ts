import { KeyPrefix, type ManagedCluster } from '@flotilla/api-types';
import { semanticEqual } from '@flotilla/kube/meta';
import { clusterIdentityAnnotation } from '../../contract/index.ts';

/** What an agent reports about its cluster when it asks to join. */
export interface ClusterDescription {
  readonly clusterName: string;
  /** Uid of the namespace kube-system, if it could be read. */
  readonly clusterUid?: string;
  /** Only those of the prefix that is reserved for agents are used. */
  readonly annotations: Readonly<Record<string, string>>;
  /** Of a cluster that is created. Later they are for the hub to change. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly externalServerUrls: readonly string[];
  /** PEM; for the external addresses. */
  readonly caBundle?: string;
  /** The driver's changes, applied last. */
  readonly decorate: (cluster: ManagedCluster) => ManagedCluster;
}

/** Annotations that an agent may set. */
const agentAnnotations = (annotations: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(annotations).filter(([key]) => key.startsWith(KeyPrefix.AgentAnnotation)));

/** The uid of the cluster that holds the name on the hub, if that is another than this one. */
export function otherHolder({ metadata }: ManagedCluster, { clusterUid }: ClusterDescription): string | undefined {
  const holder = metadata?.annotations?.[clusterIdentityAnnotation];
  return holder && clusterUid !== undefined && holder !== clusterUid ? holder : undefined;
}

/** The cluster as the hub should have it, on top of what is there; the same object if nothing is missing. */
export function describeCluster(current: ManagedCluster, description: ClusterDescription): ManagedCluster {
  const { clusterUid, annotations, labels = {}, externalServerUrls, caBundle } = description;
  const isNew = current.metadata?.uid === undefined && Object.keys(labels).length > 0;
  const wanted = {
    // An identity already set is never overwritten: the hub compares.
    ...(clusterUid !== undefined && { [clusterIdentityAnnotation]: clusterUid }),
    ...current.metadata?.annotations,
    ...agentAnnotations(annotations),
  };
  const bundle = caBundle === undefined ? undefined : Buffer.from(caBundle).toString('base64');
  const known = current.spec?.managedClusterClientConfigs ?? [];
  const clientConfigs = known.map((config) =>
    bundle !== undefined && externalServerUrls.includes(config.url) ? { ...config, caBundle: bundle } : config,
  );
  for (const url of externalServerUrls) {
    if (known.some((config) => config.url === url)) continue;
    clientConfigs.push({ url, ...(bundle !== undefined && { caBundle: bundle }) });
  }
  const described = description.decorate({
    ...current,
    metadata: {
      ...current.metadata,
      ...(Object.keys(wanted).length > 0 && { annotations: wanted }),
      ...(isNew && { labels: { ...current.metadata?.labels, ...labels } }),
    },
    ...((current.spec || clientConfigs.length > 0) && {
      spec: {
        ...current.spec,
        ...(clientConfigs.length > 0 && { managedClusterClientConfigs: clientConfigs }),
      },
    }),
  });
  return semanticEqual(described, current) ? current : described;
}
