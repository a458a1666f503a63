import { Annotation, KeyPrefix, type ManagedCluster } from '@flotilla/api-types';

/**
 * What an agent says about itself on its cluster, such as by which driver it registers, where that differs from what is stored. An identity
 * that is already set stays: another cluster may have the name. It may be set on a cluster that the cache does not have yet.
 */
export function agentAnnotations(
  { metadata }: ManagedCluster,
  stored: ManagedCluster | undefined,
): Record<string, string> | undefined {
  const known = stored?.metadata?.annotations ?? {};
  const mayIdentify = stored !== undefined && !known[Annotation.ClusterIdentity];
  const changed = Object.entries(metadata?.annotations ?? {}).filter(
    ([key, value]) =>
      key.startsWith(`${KeyPrefix.AgentAnnotation}/`) &&
      known[key] !== value &&
      (key !== Annotation.ClusterIdentity || mayIdentify),
  );
  return changed.length > 0 ? Object.fromEntries(changed) : undefined;
}
