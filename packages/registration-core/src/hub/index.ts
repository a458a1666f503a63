export { hubPolicies } from './admission/policies.ts';
export { type AdmissionInput, hubWebhooks } from './admission/webhooks.ts';
export { createHub, type Hub } from './create-hub.ts';
export type { HubInput } from './deps.ts';
export { type StartDriversOptions, type StartedDriver, startDrivers } from './drivers/start-drivers.ts';
export { resolveGates } from './gates.ts';
export { bootstrapRules, hubNamespaceRules, hubRules, joinTokenRules } from './hub-role.ts';
export { duplicateIdentityPolicies } from './identity/identity.policy.ts';
export { defaultHubOptions, type HubOptions, hubOptions, parseCleanupList, parseLabels } from './options.ts';
