import { Label, type ManifestWorkReplicaSet, manifestWorks, placementDecisions, placements } from '@flotilla/api-types';
import type { KubeClient } from '@flotilla/kube';
import { isLabelValue } from '@flotilla/schema';
import type { RolloutFacts } from '@flotilla/work-manager';

/** What is on the hub of a replica set. */
export async function readRolloutFacts(
  client: KubeClient,
  replicaSet: ManifestWorkReplicaSet,
  now: number,
): Promise<RolloutFacts> {
  const { namespace, name } = replicaSet.metadata ?? {};
  const owner = `${namespace}.${name}`;
  const labelSelector = `${Label.ManifestWorkReplicaSet}=${owner}`;
  const [works, placed, decided] = await Promise.all([
    // An owner that is too long for a label has no works, and a server would refuse the selector.
    isLabelValue(owner) ? client.resource(manifestWorks).list({ labelSelector }) : { items: [] },
    client.resource(placements).list({ namespace }),
    client.resource(placementDecisions).list({ namespace }),
  ]);
  return { replicaSet, works: works.items, placements: placed.items, decisions: decided.items, now };
}
