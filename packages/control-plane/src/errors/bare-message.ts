import { KubeError } from '@flotilla/kube';

/** The message of an error without our code in front, as the API server reports it. */
export function bareMessage(error: unknown): string {
  if (error instanceof KubeError) return error.message.slice(error.code.length + 2);
  return error instanceof Error ? error.message : String(error);
}
