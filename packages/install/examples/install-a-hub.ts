import { applyObjects, definitionsToApply, type HubValues, hubManifests, type Owner } from '@flotilla/install';
import { type KubeClient, realClock } from '@flotilla/kube';

/** Marks what this program creates; nothing else is ever removed. */
const owner: Owner = { labels: { 'app.kubernetes.io/managed-by': 'my-installer' }, fieldManager: 'my-installer' };

/** Makes a cluster a hub for clusters that register by these drivers, such as `csrDriver`. Repeating it is safe. */
export async function installHub(client: KubeClient, drivers: HubValues['drivers']): Promise<void> {
  const { definitions, objects } = await hubManifests({ drivers });
  const missing = await definitionsToApply(client, definitions, owner);
  await applyObjects(client, [...missing, ...objects], { owner, clock: realClock });
}
