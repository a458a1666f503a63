import { KubeError } from '@flotilla/kube';

/** A Status of Kubernetes, as clients understand it. */
export interface StatusBody {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly retryAfterSeconds?: number;
}

/** What a failure is to a user: what the cluster or the hub said, and else that the cluster does not answer. */
export function statusOfError(error: unknown): StatusBody {
  const { code, message: full, status } = KubeError.from(error);
  const message = full.replace(`${code}: `, '');
  if (code === 'Timeout') return { code: 504, reason: 'Timeout', message };
  if (status !== undefined && status >= 400 && status < 500) return { code: status, reason: code, message };
  if (status === 502) return { code: 502, reason: 'InternalError', message };
  return { code: 503, reason: 'ServiceUnavailable', message, retryAfterSeconds: 5 };
}

export const statusBody = ({ code, reason, message, retryAfterSeconds }: StatusBody): string =>
  JSON.stringify({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    ...(retryAfterSeconds !== undefined && { details: { retryAfterSeconds } }),
    code,
  });
