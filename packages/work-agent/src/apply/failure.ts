import { KubeError } from '@flotilla/kube';

/** Why a manifest is not applied, and what becomes of it. */
export interface ManifestFailure {
  /** What the server or the agent says, for the condition. */
  readonly message: string;
  readonly reason: 'AppliedManifestFailed' | 'AppliedManifestSSAIgnoreFieldError';
  /** Set if nothing but a later time will do; otherwise the work is tried again with back-off. */
  readonly retryAfterMs?: number;
  /** True if an event will tell when it is worth another try. */
  readonly waits?: boolean;
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

/** The words of the API server where it spoke, because users know them; ours otherwise. */
export function wordsOf(error: unknown): string {
  const { apiStatus, message, code } = KubeError.from(error);
  if (apiStatus?.message) return apiStatus.message;
  return message.startsWith(`${code}: `) ? message.slice(code.length + 2) : message;
}

/** What was thrown while a manifest was applied, for its condition. */
export function failureOf(error: unknown): ManifestFailure {
  if (error instanceof ApplyError) return error.failure;
  return { reason: 'AppliedManifestFailed', message: wordsOf(error) };
}
