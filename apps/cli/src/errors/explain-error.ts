import { WaitTimeoutError } from '@flotilla/install';
import { KubeError } from '@flotilla/kube';
import { CliError, exitCodes } from './cli-error.ts';

/** What to print about anything that was thrown, and how to end. */
export function explainError(thrown: unknown): { message: string; hint: string; exitCode: number } {
  if (thrown instanceof CliError) return thrown;
  if (thrown instanceof WaitTimeoutError) {
    return { message: thrown.message, hint: thrown.hint, exitCode: exitCodes.timeout };
  }
  const error = KubeError.from(thrown);
  return { message: error.message, hint: error.hint, exitCode: exitCodeOf(error) };
}

function exitCodeOf(error: KubeError): number {
  switch (error.code) {
    case 'Config':
      return exitCodes.usage;
    case 'Unauthorized':
    case 'Forbidden':
    case 'Tls':
    case 'UnknownKind':
      return exitCodes.precondition;
    case 'Unavailable':
    case 'Timeout':
    case 'TooManyRequests':
      return exitCodes.timeout;
    default:
      return exitCodes.failed;
  }
}
