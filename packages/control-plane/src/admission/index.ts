export { type AdmissionOptions, createAdmission } from './admission-plugins.ts';
