export { type AdmissionHandler, type AdmissionInput, createAdmissionHandler } from './admission/handler.ts';
export type { AdmissionRequest, AdmissionResponse, AdmissionReview } from './admission/review.ts';
export { createHub, type Hub } from './create-hub.ts';
export type { HubInput } from './deps.ts';
export { type HubGates, resolveGates } from './gates.ts';
export { defaultHubOptions, type HubOptions, hubOptions, parseCleanupList, parseLabels } from './options.ts';
