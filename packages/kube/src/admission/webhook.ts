import type { StatusCause } from '../errors/api-status.ts';
import type { JsonPatchOperation } from '../resources/resource-handle.ts';

/** Who sent the request that is to be admitted, as SubjectAccessReviews want it. */
export interface AdmissionUser {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** What the API server asks a webhook: `admission.k8s.io` AdmissionRequest. Objects are as the server sent them, unchecked. */
export interface AdmissionRequest {
  readonly uid: string;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly name?: string;
  readonly namespace?: string;
  readonly subResource?: string;
  readonly userInfo: AdmissionUser;
  readonly object?: unknown;
  readonly oldObject?: unknown;
  readonly dryRun?: boolean;
}

/** The decision of a webhook. */
export type AdmissionDecision =
  | { readonly allowed: true; readonly patch?: readonly JsonPatchOperation[]; readonly warnings?: readonly string[] }
  | AdmissionRefusal;

/** Why a webhook says no. */
export interface AdmissionRefusal {
  readonly allowed: false;
  /** 400: the object is invalid; 403: the user lacks a permission. */
  readonly code: 400 | 403;
  readonly message: string;
  /** Which fields are meant, for programs: `status.details.causes` of the answer. */
  readonly causes?: readonly StatusCause[];
  /** What to do about it; kubectl prints it. */
  readonly warnings?: readonly string[];
}

/** A webhook: where it is served and how it decides. What `decide` throws becomes a refusal with the error's message. */
export interface Webhook {
  /** Absolute, such as `/validate-…`. */
  readonly path: string;
  /** The signal aborts when the caller hangs up: the API server waits only as long as its configuration says. */
  decide(request: AdmissionRequest, signal: AbortSignal): Promise<AdmissionDecision> | AdmissionDecision;
}
