import { isRecord } from '@flotilla/schema';
import { jsonOf } from './review-body.ts';
import type { AdmissionDecision, AdmissionRefusal, AdmissionRequest } from './webhook.ts';

/** The versions of AdmissionReview that are understood; the answer has that of the question. */
const versions = ['admission.k8s.io/v1', 'admission.k8s.io/v1beta1'];

/** A question, taken out of its AdmissionReview. */
export interface ReviewedRequest {
  readonly apiVersion: string;
  readonly request: AdmissionRequest;
}

/** Reads an AdmissionReview; says in words what is wrong with it otherwise. */
export function readReview(text: string): ReviewedRequest | string {
  const json = jsonOf(text);
  if (typeof json === 'string') return json;
  const { value: review } = json;
  if (!isReview(review)) return 'the body is not an AdmissionReview with a request';
  const { apiVersion, request } = review;
  if (!versions.includes(apiVersion)) return `the body is of ${apiVersion}; send ${versions.join(' or ')}`;
  return { apiVersion, request };
}

function isReview(value: unknown): value is { apiVersion: string; request: AdmissionRequest } {
  if (!isRecord(value) || value.kind !== 'AdmissionReview' || typeof value.apiVersion !== 'string') return false;
  const { request } = value;
  return isRecord(request) && typeof request.uid === 'string' && typeof request.operation === 'string';
}

/** The AdmissionReview that carries a decision. */
export function reviewText({ apiVersion, request }: ReviewedRequest, decision: AdmissionDecision): string {
  const { warnings = [] } = decision;
  return JSON.stringify({
    apiVersion,
    kind: 'AdmissionReview',
    response: {
      uid: request.uid,
      allowed: decision.allowed,
      ...(decision.allowed ? patchOf(decision) : { status: statusOf(decision) }),
      ...(warnings.length > 0 && { warnings }),
    },
  });
}

const patchOf = ({ patch = [] }: Extract<AdmissionDecision, { allowed: true }>) =>
  patch.length > 0 && {
    patchType: 'JSONPatch',
    patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
  };

const statusOf = ({ code, message, causes = [] }: AdmissionRefusal) => ({
  status: 'Failure',
  code,
  reason: code === 403 ? 'Forbidden' : 'BadRequest',
  message,
  ...(causes.length > 0 && { details: { causes } }),
});
