import { Label, type ManagedCluster, ReservedClaim } from '@flotilla/api-types';
import type { ClusterAccess } from '@flotilla/kube';
import type { Namespace } from '@flotilla/kube/kinds';
import { clusterIdentityAnnotation, createdByHubAnnotation } from '@flotilla/registration-core/contract';
import { clusterModeLabel } from '@flotilla/registration-core/push';
import { CliError } from '../errors/cli-error.ts';
import { isLabelValue } from './label-value.ts';

/** Where a cluster is, as karmadactl's flags have it. */
export interface ClusterPlace {
  readonly clusterProvider?: string;
  readonly clusterRegion?: string;
  readonly clusterZones?: readonly string[];
}

/** The names of the claims. A label has one value, so several zones are one claim and the label has the first. */
const claimNames = {
  provider: ReservedClaim.Platform,
  region: 'region.open-cluster-management.io',
  zones: 'zones.open-cluster-management.io',
} as const;

/** The claims of a cluster by its place. */
export const claimsOf = ({
  clusterProvider,
  clusterRegion,
  clusterZones = [],
}: ClusterPlace): Record<string, string> => ({
  ...(clusterProvider && { [claimNames.provider]: clusterProvider }),
  ...(clusterRegion && { [claimNames.region]: clusterRegion }),
  ...(clusterZones.length > 0 && { [claimNames.zones]: clusterZones.join(',') }),
});

/** The labels of a cluster by its place, for placements. */
export function placeLabels({
  clusterProvider,
  clusterRegion,
  clusterZones = [],
}: ClusterPlace): Record<string, string> {
  const [zone] = clusterZones;
  const labels = {
    ...(clusterProvider && { 'cluster.open-cluster-management.io/provider': clusterProvider }),
    ...(clusterRegion && { 'topology.kubernetes.io/region': clusterRegion }),
    ...(zone && { 'topology.kubernetes.io/zone': zone }),
  };
  for (const value of [clusterProvider, clusterRegion, ...clusterZones]) {
    if (value === undefined || isLabelValue(value)) continue;
    throw new CliError(
      'usage',
      `"${value}" cannot be a label`,
      'Use at most 63 letters, digits, "-", "_" and ".", with a letter or digit at both ends.',
    );
  }
  return labels;
}

/** What the ManagedCluster of a pushed cluster says. */
export interface PushedClusterValues {
  readonly clusterName: string;
  readonly clusterUid?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly member: Pick<ClusterAccess, 'server' | 'ca'>;
  readonly accept: boolean;
}

/** The ManagedCluster of a pushed cluster, or what to change of one that is there. */
export const pushedCluster = (values: PushedClusterValues): ManagedCluster => {
  const { clusterName, clusterUid, labels, member, accept } = values;
  const { server: url, ca } = member;
  return {
    metadata: {
      name: clusterName,
      labels: { ...labels, [clusterModeLabel]: 'Push' },
      ...(clusterUid !== undefined && { annotations: { [clusterIdentityAnnotation]: clusterUid } }),
    },
    spec: {
      ...(accept && { hubAcceptsClient: true }),
      managedClusterClientConfigs: [{ url, ...(ca !== undefined && { caBundle: Buffer.from(ca).toString('base64') }) }],
    },
  };
};

/** The namespace of a cluster, as the hub creates it when it accepts the cluster: the Secret may be written before that. */
export const clusterNamespace = (clusterName: string): Namespace => ({
  metadata: {
    name: clusterName,
    labels: { [Label.ClusterName]: clusterName },
    annotations: { [createdByHubAnnotation]: clusterName },
  },
});
