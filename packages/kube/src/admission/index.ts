/** Webhooks for admission and conversion: the protocol as pure handlers, and certificates that manage themselves. */

export type { ServingPair } from '../pki/serving-pair.ts';
export type { JsonPatchOperation } from '../resources/resource-handle.ts';
export { type ReviewedRequest, readReview, reviewText } from './admission-review.ts';
export { type AdmissionReviewOptions, answerAdmissionReview } from './answer-admission-review.ts';
export { answerConversionReview, type ConversionReviewOptions } from './answer-conversion-review.ts';
export { boundPolicy, type PolicyRules } from './bound-policy.ts';
export type { ReviewReply } from './review-reply.ts';
export { type ServingCertificateOptions, servingCertificateController } from './serving-certificate.controller.ts';
export type * from './webhook.ts';
