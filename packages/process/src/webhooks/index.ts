/** Serving webhooks for admission and conversion over HTTPS. Apart from the root, so that it loads no log and no metrics library. */
export { type RunningServer, type ServeOptions, serve } from '../serving/serve.ts';
export { type ConversionRouteOptions, conversionRoute } from './conversion-route.ts';
export { type RunningWebhooks, type StartWebhooksOptions, startWebhooks } from './start-webhooks.ts';
export { type WebhookRouteOptions, webhookRoute } from './webhook-route.ts';
