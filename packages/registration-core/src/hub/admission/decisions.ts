import type { AdmissionDecision } from '@flotilla/kube/admission';

/** Fine as it is. */
export const allow: AdmissionDecision = { allowed: true };

/** The object is wrong, whoever sends it. */
export const badRequest = (message: string): AdmissionDecision => ({ allowed: false, code: 400, message });

/** The user lacks the permission; `what` is `resource/subresource.group`. */
export const forbidden = (what: string, name: string, why: string): AdmissionDecision => ({
  allowed: false,
  code: 403,
  message: `${what} "${name}" is forbidden: ${why}`,
});
