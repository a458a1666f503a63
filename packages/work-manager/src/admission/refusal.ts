import type { AdmissionRefusal } from '@flotilla/kube/admission';
import type { StatusCause } from '@flotilla/kube/errors';

/** One wrong field: its path, what is wrong with it and what to do. */
export interface WrongField {
  readonly field: string;
  readonly reason: string;
  readonly error: string;
  readonly fix: string;
}

/** A refusal with OCM's message; the field and the fix are in its causes, which OCM's clients ignore. */
export function refuse(message: string, { field, reason, error, fix }: WrongField): AdmissionRefusal {
  const cause: StatusCause = { field, reason, message: `${error}; ${fix}` };
  return { allowed: false, code: 400, message, causes: [cause], warnings: [`${field}: ${error}; ${fix}`] };
}
