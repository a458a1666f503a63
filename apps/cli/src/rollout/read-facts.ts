import { Label, type ManifestWorkReplicaSet, manifestWorks, placementDecisions, placements } from '@flotilla/api-types';
import type { KubeClient } from '@flotilla/kube';
import type { RolloutFacts } from '@flotilla/work-manager';

/** What is on the hub of a replica set. */
export async function readRolloutFacts(
  client: KubeClient,
  replicaSet: ManifestWorkReplicaSet,
  now: number,
): Promise<RolloutFacts> {
  const { namespace, name } = replicaSet.metadata ?? {};
  const labelSelector = `${Label.ManifestWorkReplicaSet}=${namespace}.${name}`;
  const [works, placed, decided] = await Promise.all([
    client.resource(manifestWorks).list({ labelSelector }),
    client.resource(placements).list({ namespace }),
    client.resource(placementDecisions).list({ namespace }),
  ]);
  return { replicaSet, works: works.items, placements: placed.items, decisions: decided.items, now };
}
