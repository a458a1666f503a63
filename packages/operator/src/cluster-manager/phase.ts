import { KubeError } from '@flotilla/kube';
import { ApplyError } from '../apply/index.ts';
import type { NotAppliedReason } from './cluster-manager.status.ts';

/** A step that failed, by the reason that the condition gives for it. */
export class PhaseError extends Error {
  override readonly name = 'PhaseError';
  readonly reason: NotAppliedReason;

  constructor(reason: NotAppliedReason, message: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}

/** Runs a step; what it throws becomes the reason and message of the condition. */
export async function phase<T>(reason: NotAppliedReason, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw failedPhase(error, reason);
  }
}

/** The step that an error is about; one of no step gets the given reason. */
export const failedPhase = (error: unknown, reason: NotAppliedReason): PhaseError =>
  error instanceof PhaseError ? error : new PhaseError(reason, describe(error), error);

function describe(error: unknown): string {
  if (error instanceof ApplyError) return error.message;
  const { message, hint } = KubeError.from(error);
  return `${message}. ${hint}`;
}
