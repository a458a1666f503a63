const longestLabel = 63;

/** Why works cannot be labelled with their replica set; undefined if they can. As OCM says it since v1.4. */
export function invalidOwner(owner: string): string | undefined {
  if (owner.length <= longestLabel) return undefined;
  return (
    `ManifestWork owner reference "${owner}" (namespace.name) is not a valid label value: must be no more than ${longestLabel} bytes; ` +
    `recreate the ManifestWorkReplicaSet with a shorter namespace and/or name so the combined length is at most ${longestLabel} characters`
  );
}
