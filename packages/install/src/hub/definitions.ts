import { clusterManagementAddOns, managedClusterAddOns, WebhookPath } from '@flotilla/api-types';
import type { CustomResourceDefinition } from '@flotilla/schema/define';
import { isOfManagedClusters } from '../agent/definitions.ts';
import { type WebhookAddress, webhookUrl } from './webhook-configurations.ts';

/**
 * The definitions that a hub needs. With a webhook server that converts them, add-ons are served in the older version too, which
 * agents of OCM before v1.3 need. The schemas are loaded on the first call, because they take a while.
 */
export async function hubDefinitions(webhooks?: WebhookAddress): Promise<CustomResourceDefinition[]> {
  const { customResourceDefinitions } = await import('@flotilla/api-types/kinds');
  const conversion = webhooks && { ...webhooks, url: webhookUrl(webhooks, WebhookPath.Convert) };
  return customResourceDefinitions(conversion).filter((definition) => !isOfManagedClusters(definition));
}

/** The names of definitions whose kinds are served in two versions once a webhook server converts between them. */
export const convertedDefinitions = (): string[] =>
  [managedClusterAddOns, clusterManagementAddOns].map(({ plural, group }) => `${plural}.${group}`);
