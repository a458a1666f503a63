import type { AdmissionRefusal, StatusCause } from '@flotilla/kube';

/** One wrong field: its path, what is wrong with it and what to do. */
export interface WrongField {
  readonly field: string;
  readonly reason: string;
  readonly problem: string;
  readonly fix: string;
}

/** A refusal in OCM's words; which field it is and how to mend it goes beside them, where it changes nobody's wire. */
export function refuse(message: string, { field, reason, problem, fix }: WrongField): AdmissionRefusal {
  const cause: StatusCause = { field, reason, message: `${problem}; ${fix}` };
  return { allowed: false, code: 400, message, causes: [cause], warnings: [`${field}: ${problem}; ${fix}`] };
}
