/** Serving webhooks for admission and conversion: the protocol, and certificates that manage themselves. */
export { type ConversionRouteOptions, conversionRoute } from './conversion-route.ts';
export { type ServingCertificateOptions, servingCertificateController } from './serving-certificate.controller.ts';
export type { ServingPair } from './serving-pair.ts';
export { type RunningWebhooks, type StartWebhooksOptions, startWebhooks } from './start-webhooks.ts';
export type * from './webhook.ts';
export { type WebhookRouteOptions, webhookRoute } from './webhook-route.ts';
