export { type AdmissionInput, hubWebhooks } from './admission/webhooks.ts';
export { createHub, type Hub } from './create-hub.ts';
export type { HubInput } from './deps.ts';
export { type HubGates, resolveGates } from './gates.ts';
export { hubRules } from './hub-role.ts';
export { defaultHubOptions, type HubOptions, hubOptions, parseCleanupList, parseLabels } from './options.ts';
