import { type ManifestWork, manifestWorks } from '@flotilla/api-types';
import type { KubeClient } from '@flotilla/kube';
import { sortWorks } from './work-rows.ts';

/** Works by name, or all; in some clusters, or all. */
export async function findWorks(
  client: KubeClient,
  name: string | undefined,
  clusters: readonly string[],
): Promise<ManifestWork[]> {
  const handle = client.resource(manifestWorks);
  const selection = name === undefined ? {} : { fieldSelector: `metadata.name=${name}` };
  const lists = await Promise.all(
    clusters.length > 0
      ? clusters.map((namespace) => handle.list({ namespace, ...selection }))
      : [handle.list(selection)],
  );
  return sortWorks(lists.flatMap(({ items }) => items));
}
