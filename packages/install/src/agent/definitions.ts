import type { CustomResourceDefinition } from '@flotilla/schema/define';

const prefixes = ['klusterlets.', 'appliedmanifestworks.', 'clusterclaims.'];

/** Whether only managed clusters have objects of this kind. */
export const isOfManagedClusters = ({ metadata }: Pick<CustomResourceDefinition, 'metadata'>): boolean =>
  prefixes.some((prefix) => metadata.name?.startsWith(prefix));

/** The definitions that a managed cluster needs. The schemas are loaded on the first call, because they take a while. */
export async function agentDefinitions(): Promise<CustomResourceDefinition[]> {
  const { customResourceDefinitions } = await import('@flotilla/api-types/kinds');
  return customResourceDefinitions().filter(isOfManagedClusters);
}
