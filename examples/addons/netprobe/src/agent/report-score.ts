import { addOnPlacementScores } from '@flotilla/api-types';
import type { KubeClient } from '@flotilla/kube';

/** The names that a placement uses: `AddOn:netprobe:latency:1`. */
const scoreResource = 'netprobe';
const scoreName = 'latency';

/** Reports a score of a cluster to the hub, good until a time: a cluster that is silent is not preferred for what it was. */
export async function reportScore(
  hub: KubeClient,
  { cluster, value, validUntil }: { readonly cluster: string; readonly value: number; readonly validUntil: number },
): Promise<void> {
  const handle = hub.resource(addOnPlacementScores);
  const key = `${cluster}/${scoreResource}`;
  if (!(await handle.find(key))) await handle.create({ metadata: { namespace: cluster, name: scoreResource } });
  const until = `${new Date(validUntil).toISOString().slice(0, 19)}Z`;
  const status = { scores: [{ name: scoreName, value }], validUntil: until };
  await handle.status.patch(key, { type: 'merge', body: { status } });
}
