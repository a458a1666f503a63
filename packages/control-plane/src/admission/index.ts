export { type Admission, type AdmissionOptions, createAdmission } from './admission-plugins.ts';
export type { ServiceReference } from './webhooks/configuration.ts';
export type { ServiceResolver } from './webhooks/endpoint.ts';
