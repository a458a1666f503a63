import { Annotation, KeyPrefix, type ManagedClusterAddOn } from '@flotilla/api-types';

/** What users put on an add-on for that add-on alone: no change of the cluster takes it away. */
const exempt: readonly string[] = [Annotation.AddOnValues, Annotation.LegacyInstallNamespace];

/**
 * The annotations of an add-on that must change to follow its cluster: a value, or null for one that goes. Those that the cluster does not have go
 * only after the cluster changed: before that they may be a user's own.
 */
export function annotationChanges(
  { metadata }: ManagedClusterAddOn,
  wanted: Readonly<Record<string, string>>,
  clusterChanged: boolean,
): Readonly<Record<string, string | null>> | undefined {
  const present = metadata?.annotations ?? {};
  const changes: Record<string, string | null> = {};
  for (const [key, value] of Object.entries(wanted)) if (present[key] !== value) changes[key] = value;
  for (const key of clusterChanged ? Object.keys(present) : []) {
    const follows = key.startsWith(KeyPrefix.AddOnAnnotation) && !exempt.includes(key);
    if (follows && !(key in wanted)) changes[key] = null;
  }
  return Object.keys(changes).length > 0 ? changes : undefined;
}
