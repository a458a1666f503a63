import type { KubeObject } from '@flotilla/api-types';
import type { Connection } from '../context.ts';
import { bootstrapObjects, hubNamespaces } from './bootstrap-objects.ts';
import { wantedClusterInfo } from './cluster-info.ts';
import { controllerObjects } from './controller-objects.ts';
import { hubDefinitions } from './definitions.ts';
import { webhookObjects } from './webhook-objects.ts';

/** Everything that makes a cluster a hub, those first that others need. */
export async function hubManifests(
  hub: Pick<Connection, 'client' | 'access'>,
  webhookUrl?: string,
): Promise<{ definitions: KubeObject[]; objects: KubeObject[] }> {
  return {
    definitions: await hubDefinitions(),
    objects: [
      ...hubNamespaces(),
      ...bootstrapObjects(),
      ...controllerObjects(),
      ...webhookObjects(webhookUrl),
      ...(await wantedClusterInfo(hub.client, hub.access)),
    ],
  };
}
