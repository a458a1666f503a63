import { type ManifestWork, manifestWorks } from '@flotilla/api-types';
import type { KubeClient } from '@flotilla/kube';
import { sortWorks } from './work-rows.ts';

/** Works of these names, or all; in these clusters, or all. */
export async function findWorks(
  client: KubeClient,
  names: readonly string[],
  clusters: readonly string[],
): Promise<ManifestWork[]> {
  const handle = client.resource(manifestWorks);
  const places = clusters.length > 0 ? clusters.map((namespace) => ({ namespace })) : [{}];
  const selections =
    names.length > 0 ? [...new Set(names)].map((name) => ({ fieldSelector: `metadata.name=${name}` })) : [{}];
  const lists = await Promise.all(
    places.flatMap((place) => selections.map((selection) => handle.list({ ...place, ...selection }))),
  );
  return sortWorks(lists.flatMap(({ items }) => items));
}
