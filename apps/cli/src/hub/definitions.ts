import type { KubeObject } from '@flotilla/api-types';

/** Kinds that only managed clusters have. */
const ofManagedClusters = ['klusterlets.', 'appliedmanifestworks.', 'clusterclaims.'];

/** The definitions that a hub needs. Loaded when asked for: the schema library takes a while. */
export async function hubDefinitions(): Promise<KubeObject[]> {
  const { customResourceDefinitions } = await import('@flotilla/api-types/kinds');
  return customResourceDefinitions().filter(
    ({ metadata }) => !ofManagedClusters.some((kind) => metadata.name?.startsWith(kind)),
  );
}
