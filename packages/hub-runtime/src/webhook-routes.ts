import { type FeatureGateValues, WebhookPath } from '@flotilla/api-types';
import { convertObject } from '@flotilla/api-types/conversion';
import type { Clock, KubeClient, Logger } from '@flotilla/kube';
import type { Route } from '@flotilla/process';
import { conversionRoute, type WebhookRouteOptions, webhookRoute } from '@flotilla/process/webhooks';
import { hubWebhooks } from '@flotilla/registration-core/hub';
import { workWebhooks } from '@flotilla/work-manager';

/** The servers of webhooks, which OCM runs as programs of their own. */
export const webhookServers = ['registration', 'work', 'addon'] as const;
export type WebhookServerName = (typeof webhookServers)[number];

/** What the webhooks of a hub are made with. */
export interface WebhookRoutesInput extends Pick<WebhookRouteOptions, 'answered'> {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  /** Those that differ from OCM's defaults. */
  readonly gates?: FeatureGateValues;
  /** The largest size of the manifests of a work, in bytes. */
  readonly manifestLimit?: number;
  /** Which of them are served. Default: all. */
  readonly servers?: readonly WebhookServerName[];
}

/** The admission webhooks of registration and of works, and the conversion of add-ons, for an HTTPS server. */
export function hubWebhookRoutes({ client, clock, log, gates = {}, ...input }: WebhookRoutesInput): Route[] {
  const { manifestLimit, answered, servers = webhookServers } = input;
  const has = (server: WebhookServerName) => servers.includes(server);
  const limit = manifestLimit !== undefined && { manifestLimit };
  const webhooks = [
    ...(has('registration') ? hubWebhooks({ client, clock, gates }) : []),
    ...(has('work') ? workWebhooks({ client, gates, ...limit }) : []),
  ];
  return [
    ...webhooks.map((webhook) => webhookRoute(webhook, { log, ...(answered && { answered }) })),
    ...(has('addon') ? [conversionRoute({ path: WebhookPath.Convert, convert: convertObject, log })] : []),
  ];
}
