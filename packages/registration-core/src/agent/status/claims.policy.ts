import { type ClusterClaim, Label, type ManagedClusterClaim, ReservedClaim } from '@flotilla/api-types';
import type { KubeObject, ResourceType } from '@flotilla/schema';

/** A property of the cluster, of the about API. */
export interface ClusterProperty extends KubeObject {
  spec?: { value?: string };
}

/** Properties of the cluster, where the about API is installed. */
export const clusterProperties: ResourceType<ClusterProperty> = {
  group: 'about.k8s.io',
  version: 'v1alpha1',
  kind: 'ClusterProperty',
  plural: 'clusterproperties',
  namespaced: false,
};

/** What is reported, and how much of it. */
export interface ClaimLimits {
  readonly maxCustomClaims: number;
  readonly reservedSuffixes: readonly string[];
  /** Reports `id.k8s.io` also where the cluster has no claim of that name. Default: as in OCM, only claims and properties that are there. */
  readonly identity?: {
    /** Uid of the namespace kube-system, where the about API does not say what the cluster is. */
    readonly clusterUid?: string;
  };
}

/** The property by which the about API identifies a cluster (KEP-2149). */
const clusterIdProperty = 'cluster.clusterset.k8s.io';

const reservedNames: ReadonlySet<string> = new Set(Object.values(ReservedClaim));
const byName = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/**
 * The claims to report: reserved ones first and all of them, then custom ones up to the limit, each sorted by name.
 * A property wins over a claim of the same name; what is labelled for the spoke only is left out.
 */
export function selectClaims(
  claims: readonly ClusterClaim[],
  properties: readonly ClusterProperty[],
  { maxCustomClaims, reservedSuffixes, identity }: ClaimLimits,
): { readonly claims: ManagedClusterClaim[]; readonly truncated: number } {
  const values = new Map<string, string>();
  for (const { metadata, spec } of [...claims, ...properties]) {
    const isLocal = metadata?.labels?.[Label.SpokeOnly] !== undefined;
    if (metadata?.name && spec?.value && !isLocal) values.set(metadata.name, spec.value);
  }
  const id = identity && identityOf(claims, properties, identity.clusterUid);
  if (id !== undefined) values.set(ReservedClaim.Id, id);
  const isReserved = (name: string) =>
    reservedNames.has(name) || reservedSuffixes.some((suffix) => name.endsWith(suffix));
  const names = [...values.keys()].sort(byName);
  const custom = names.filter((name) => !isReserved(name));
  const reported = [...names.filter(isReserved), ...custom.slice(0, maxCustomClaims)];
  return {
    claims: reported.map((name) => ({ name, value: values.get(name) ?? '' })),
    truncated: Math.max(0, custom.length - maxCustomClaims),
  };
}

/** What to report as the identity of a cluster that has no claim of that name, also none that stays on the cluster. */
function identityOf(
  claims: readonly ClusterClaim[],
  properties: readonly ClusterProperty[],
  clusterUid: string | undefined,
): string | undefined {
  if ([...claims, ...properties].some(({ metadata }) => metadata?.name === ReservedClaim.Id)) return undefined;
  return properties.find(({ metadata }) => metadata?.name === clusterIdProperty)?.spec?.value || clusterUid;
}
