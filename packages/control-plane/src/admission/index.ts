export { type AdmissionOptions, createAdmission } from './admission-plugins.ts';
export type { ServiceResolver } from './webhooks/endpoint.ts';
