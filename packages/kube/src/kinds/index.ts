/** The built-in kinds of Kubernetes: their types, what a client calls them by, and calls of their subresources. */
export * from './built-in-kinds.ts';
export type * from './built-in-types.ts';
export { type AccessDecision, type ReviewedAccess, type ReviewedUser, reviewAccess } from './review-access.ts';
export { secretData } from './secret-data.ts';
export * from './subresource-calls.ts';
export { type KeptOfRequest, withoutRequestBody } from './without-request-body.ts';
