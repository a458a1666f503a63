export type { CertificateSigner } from './certificates/signing.controller.ts';
export { type RunningControllers, startControllers } from './start-controllers.ts';
