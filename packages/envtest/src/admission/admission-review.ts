import type { KubeObject } from '@flotilla/api-types';

/** What the API server asks a webhook about: admission.k8s.io/v1 AdmissionRequest. */
export interface AdmissionRequest {
  uid: string;
  kind: { group: string; version: string; kind: string };
  resource: { group: string; version: string; resource: string };
  subResource?: string;
  name?: string;
  namespace?: string;
  operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  userInfo: { username?: string; uid?: string; groups?: string[] };
  object: KubeObject | null;
  oldObject: KubeObject | null;
  dryRun?: boolean;
}

/** What the webhook says to it. */
export interface AdmissionAnswer {
  allowed: boolean;
  /** Shown to whoever sent the request, if it is denied. */
  message?: string;
  /** HTTP status of the denial. Default 403. */
  code?: number;
  /** Changes to the object, as JSON patch; only a mutating webhook may. */
  patch?: readonly object[];
  warnings?: readonly string[];
}

/** The AdmissionReview that carries an answer. */
export function reviewOf(request: AdmissionRequest, answer: AdmissionAnswer): object {
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: {
      uid: request.uid,
      allowed: answer.allowed,
      ...(!answer.allowed && {
        status: { code: answer.code ?? 403, message: answer.message ?? 'denied by the webhook' },
      }),
      ...(answer.patch && {
        patchType: 'JSONPatch',
        patch: Buffer.from(JSON.stringify(answer.patch)).toString('base64'),
      }),
      ...(answer.warnings && { warnings: answer.warnings }),
    },
  };
}
