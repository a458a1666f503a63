import { startControlPlane } from '@flotilla/control-plane';
import { configMaps } from '@flotilla/kube/kinds';

/** Starts a control plane in memory, writes an object, and receives it from a watch. */
export async function firstObject(): Promise<string | undefined> {
  await using plane = await startControlPlane();
  const maps = plane.client.resource(configMaps);
  await maps.create({ metadata: { namespace: 'default', name: 'hello' }, data: { who: 'world' } });
  for await (const event of maps.watch({ namespace: 'default', resourceVersion: '0' })) {
    if (event.type === 'ADDED' && event.object.metadata?.name === 'hello') return event.object.data?.who;
  }
  return undefined;
}
