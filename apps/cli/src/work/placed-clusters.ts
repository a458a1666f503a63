import { Label, type ManifestWork, manifestWorks, placementDecisions, placements } from '@flotilla/api-types';
import type { KubeClient } from '@flotilla/kube';
import { CliError } from '../errors/cli-error.ts';

/** `namespace/name` of `--placement`. */
export interface PlacementName {
  readonly namespace: string;
  readonly name: string;
}

/** Reads `--placement`. */
export function placementNameOf(text: string): PlacementName {
  const [namespace, name, ...rest] = text.split('/');
  if (namespace && name && rest.length === 0) return { namespace, name };
  throw new CliError(
    'usage',
    `the name of the placement ${text} must be in the format of <namespace>/<name>`,
    'For example: --placement default/all.',
  );
}

/** Refuses a placement that does not exist. */
export async function requirePlacement(client: KubeClient, { namespace, name }: PlacementName): Promise<void> {
  if (await client.resource(placements).find(`${namespace}/${name}`)) return;
  throw new CliError(
    'precondition',
    `there is no Placement ${name} in namespace ${namespace}`,
    'See those that are there: `kubectl get placements -A`.',
  );
}

/** The clusters that a placement selects now. */
export async function placedClusters(client: KubeClient, { namespace, name }: PlacementName): Promise<string[]> {
  await requirePlacement(client, { namespace, name });
  const labelSelector = `${Label.Placement}=${name}`;
  const { items } = await client.resource(placementDecisions).list({ namespace, labelSelector });
  const clusters = items.flatMap(({ status }) => (status?.decisions ?? []).map(({ clusterName }) => clusterName));
  if (clusters.length > 0) return [...new Set(clusters)].sort();
  throw new CliError(
    'precondition',
    `Placement ${namespace}/${name} selects no cluster`,
    `See why: \`kubectl get placement ${name} -n ${namespace} -o yaml\`.`,
  );
}

/** Works of the name on clusters that are not selected. */
export async function unplacedWorks(
  client: KubeClient,
  name: string,
  clusters: readonly string[],
): Promise<ManifestWork[]> {
  const { items } = await client.resource(manifestWorks).list({ fieldSelector: `metadata.name=${name}` });
  // A work of a replica set of the same name is the replica set's.
  return items.filter(
    ({ metadata }) =>
      !clusters.includes(metadata?.namespace ?? '') && metadata?.labels?.[Label.ManifestWorkReplicaSet] === undefined,
  );
}
