import { KubeError } from '@flotilla/kube';

/** How a process ends, by what went wrong. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  /** The options or a file they name cannot be used: trying again changes nothing. */
  config: 2,
  /** The API server refuses the credentials, or one side refuses the other's certificate. */
  refused: 3,
  /** The API server cannot be reached or is overloaded: trying again may help. */
  unreachable: 4,
  /** A bug: an uncaught exception. */
  fault: 70,
} as const;

/** The exit code for what was thrown. */
export function exitCodeOf(thrown: unknown): number {
  if (KubeError.is(thrown, 'Config')) return exitCodes.config;
  if (KubeError.is(thrown, 'Unauthorized', 'Forbidden', 'Tls')) return exitCodes.refused;
  if (KubeError.is(thrown, 'Unavailable', 'Timeout', 'TooManyRequests')) return exitCodes.unreachable;
  return exitCodes.failed;
}
