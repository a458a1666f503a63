import { type FeatureGateValues, WebhookPath } from '@flotilla/api-types';
import { convertObject } from '@flotilla/api-types/conversion';
import type { Clock, KubeClient, Logger } from '@flotilla/kube';
import type { Route } from '@flotilla/process';
import { conversionRoute, type WebhookRouteOptions, webhookRoute } from '@flotilla/process/webhooks';
import { hubWebhooks } from '@flotilla/registration-core/hub';
import { workWebhooks } from '@flotilla/work-manager';

/** What the webhooks of a hub are made with. */
export interface WebhookRoutesInput extends Pick<WebhookRouteOptions, 'answered'> {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  /** Those that differ from OCM's defaults. */
  readonly gates?: FeatureGateValues;
  /** The largest size of the manifests of a work, in bytes. */
  readonly manifestLimit?: number;
}

/** The admission webhooks of registration and of works, and the conversion of add-ons, for an HTTPS server. */
export function hubWebhookRoutes({ client, clock, log, gates = {}, ...input }: WebhookRoutesInput): Route[] {
  const { manifestLimit, answered } = input;
  const webhooks = [
    ...hubWebhooks({ client, clock, gates }),
    ...workWebhooks({ client, gates, ...(manifestLimit !== undefined && { manifestLimit }) }),
  ];
  return [
    ...webhooks.map((webhook) => webhookRoute(webhook, { log, ...(answered && { answered }) })),
    conversionRoute({ path: WebhookPath.Convert, convert: convertObject, log }),
  ];
}
