import type { KubeObject } from '@flotilla/api-types';
import type { Definition } from '../apply.ts';
import type { Connection } from '../context.ts';
import { bootstrapObjects, hubNamespaces } from './bootstrap-objects.ts';
import { wantedClusterInfo } from './cluster-info.ts';
import { controllerObjects } from './controller-objects.ts';
import { hubDefinitions } from './definitions.ts';
import { type WebhookAddress, webhookObjects } from './webhook-objects.ts';

/** Everything that makes a cluster a hub, those first that others need. */
export async function hubManifests(
  hub: Pick<Connection, 'client' | 'access'>,
  webhooks?: WebhookAddress,
): Promise<{ definitions: Definition[]; objects: KubeObject[] }> {
  return {
    definitions: await hubDefinitions(webhooks),
    objects: [
      ...hubNamespaces(),
      ...bootstrapObjects(),
      ...controllerObjects(),
      ...webhookObjects(webhooks),
      ...(await wantedClusterInfo(hub.client, hub.access)),
    ],
  };
}
