/** What errors are made of: the codes with their hints, the Status of an API server, and text that is fit to show. */
export type { ApiStatus, StatusCause, StatusDetails } from './api-status.ts';
export { type KubeErrorCode, type KubeErrorCodeEntry, kubeErrorCodes } from './codes.ts';
export { KubeError, type KubeErrorOptions } from './kube-error.ts';
export { nearest } from './nearest.ts';
export { redact } from './redact.ts';
export { requireNode } from './require-node.ts';
