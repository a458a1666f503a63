export { validateManifests } from './admission/manifests.validation.ts';
export { type WorkAdmissionInput, workWebhooks } from './admission/webhooks.ts';
export { createWorkManager, type WorkManager, type WorkManagerInput } from './create-work-manager.ts';
export { type WorkGates, workGates } from './gates.ts';
export { defaultManifestLimit, manifestLimitOption } from './options.ts';
export { workManagerRules, workWebhookRules } from './work-manager-role.ts';
