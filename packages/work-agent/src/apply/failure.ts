import { KubeError } from '@flotilla/kube';
import type { ObjectAddress } from '../watch/object-tracker.ts';

/** Why a manifest is not applied, and what becomes of it. */
export interface ManifestFailure {
  /** What the server or the agent says, for the condition. */
  readonly message: string;
  readonly reason: 'AppliedManifestFailed' | 'AppliedManifestSSAIgnoreFieldError';
  /** Set when only waiting helps; otherwise the manifest is tried again with back-off. */
  readonly retryAfterMs?: number;
  /** True if an event follows when it is worth another try. */
  readonly waits?: boolean;
  /** The executor of the work is not allowed to do it: decided anew in each sync. */
  readonly isRefusal?: boolean;
  /** The server did not answer: it is tried again as soon as after other outages. */
  readonly isOutage?: boolean;
  /** The object whose change may end the failure, such as a missing namespace. */
  readonly awaits?: ObjectAddress;
}

/** Thrown where the way on is known better than "try again with back-off". */
export class ApplyError extends Error {
  override readonly name = 'ApplyError';
  readonly failure: ManifestFailure;

  constructor(failure: Partial<ManifestFailure> & Pick<ManifestFailure, 'message'>, options?: ErrorOptions) {
    super(failure.message, options);
    this.failure = { reason: 'AppliedManifestFailed', ...failure };
  }
}

/** The API server's message if there is one, because users know it; ours otherwise. */
export function errorMessageOf(error: unknown): string {
  const { apiStatus, message, code } = KubeError.from(error);
  if (apiStatus?.message) return apiStatus.message;
  return message.startsWith(`${code}: `) ? message.slice(code.length + 2) : message;
}

/** What was thrown while a manifest was applied, for its condition. */
export function failureOf(error: unknown): ManifestFailure {
  if (error instanceof ApplyError) return error.failure;
  const isOutage = KubeError.is(error, 'Unavailable') || KubeError.is(error, 'Timeout');
  return { reason: 'AppliedManifestFailed', message: errorMessageOf(error), ...(isOutage && { isOutage }) };
}
