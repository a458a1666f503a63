import { WebhookPath } from '@flotilla/api-types';
import type { Definition } from '../apply.ts';
import type { WebhookAddress } from './webhook-objects.ts';

/** Kinds that only managed clusters have. */
const ofManagedClusters = ['klusterlets.', 'appliedmanifestworks.', 'clusterclaims.'];

/**
 * The definitions that a hub needs. Add-ons are served in the older version too if somebody converts them, which agents of OCM before
 * v1.3 need. Loaded when asked for: the schema library takes a while.
 */
export async function hubDefinitions(webhooks?: WebhookAddress): Promise<Definition[]> {
  const { customResourceDefinitions } = await import('@flotilla/api-types/kinds');
  const conversion = webhooks && { ...webhooks, url: `${webhooks.url.replace(/\/$/, '')}${WebhookPath.Convert}` };
  return customResourceDefinitions(conversion).filter(
    ({ metadata }) => !ofManagedClusters.some((kind) => metadata.name?.startsWith(kind)),
  );
}
