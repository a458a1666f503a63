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
}

const reservedNames: ReadonlySet<string> = new Set(Object.values(ReservedClaim));
const byName = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/**
 * The claims to report: reserved ones first and all of them, then custom ones up to the limit, each sorted by name.
 * A property wins over a claim of the same name; what is labelled for the spoke only is left out.
 */
export function selectClaims(
  claims: readonly ClusterClaim[],
  properties: readonly ClusterProperty[],
  { maxCustomClaims, reservedSuffixes }: ClaimLimits,
): { readonly claims: ManagedClusterClaim[]; readonly truncated: number } {
  const values = new Map<string, string>();
  for (const { metadata, spec } of [...claims, ...properties]) {
    const isLocal = metadata?.labels?.[Label.SpokeOnly] !== undefined;
    if (metadata?.name && spec?.value && !isLocal) values.set(metadata.name, spec.value);
  }
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
