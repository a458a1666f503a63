import type { JsonPatchOperation } from '@flotilla/kube';

/** Who makes a request, as the API server tells webhooks. */
export interface Requester {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** What a webhook is asked. Objects are what the client sent: nothing about their shape is sure. */
export interface AdmissionRequest {
  readonly uid: string;
  readonly operation: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly userInfo?: Requester;
  readonly object?: unknown;
  readonly oldObject?: unknown;
}

/** admission.k8s.io, v1 or v1beta1: both have this shape. */
export interface AdmissionReview {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly request?: AdmissionRequest;
  readonly response?: AdmissionResponse;
}

/** What a webhook answers. */
export interface AdmissionResponse {
  readonly uid: string;
  readonly allowed: boolean;
  readonly status?: {
    readonly status: 'Failure';
    readonly code: number;
    readonly reason: string;
    readonly message: string;
  };
  readonly patchType?: 'JSONPatch';
  /** Base64. */
  readonly patch?: string;
}

/** Why a request is refused. */
export interface Refusal {
  readonly code: 400 | 403;
  readonly message: string;
}

/** What came of a check: a refusal, or changes that the object needs. */
export type Outcome = { readonly refusal: Refusal } | { readonly patch: readonly JsonPatchOperation[] };

/** Fine as it is. */
export const allow: Outcome = { patch: [] };

/** The object is wrong, whoever sends it. */
export const badRequest = (message: string): Outcome => ({ refusal: { code: 400, message } });

/** This user may not do this; `what` is `resource/subresource.group`. */
export const forbidden = (what: string, name: string, why: string): Outcome => ({
  refusal: { code: 403, message: `${what} "${name}" is forbidden: ${why}` },
});

/** The answer to a request. */
export function toResponse(uid: string, outcome: Outcome): AdmissionResponse {
  if ('refusal' in outcome) {
    const { code, message } = outcome.refusal;
    const reason = code === 400 ? 'BadRequest' : 'Forbidden';
    return { uid, allowed: false, status: { status: 'Failure', code, reason, message } };
  }
  if (outcome.patch.length === 0) return { uid, allowed: true };
  const patch = Buffer.from(JSON.stringify(outcome.patch)).toString('base64');
  return { uid, allowed: true, patchType: 'JSONPatch', patch };
}
