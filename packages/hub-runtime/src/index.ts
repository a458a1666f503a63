/** All controllers, drivers and webhooks of a hub, as functions with a list of drivers. */
export { type HubComponent, hubComponents, type RunHubInput, runHub } from './run-hub.ts';
export { hubWebhookRoutes, type WebhookRoutesInput } from './webhook-routes.ts';
