import { KubeError } from '@flotilla/kube';
import type { ApiStatus } from '@flotilla/kube/errors';

const failure = (message: string, code: number, rest: Partial<ApiStatus>): ApiStatus => ({
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  message,
  ...rest,
  code,
});

/** 422: the patch can be read but not be applied to this object. The API server does not say why; our hint does. */
export function unprocessable(why: string): KubeError {
  const message = 'the server rejected our request due to an error in our request';
  const details = {};
  return new KubeError('Invalid', message, {
    status: 422,
    reason: 'Invalid',
    details,
    apiStatus: failure(message, 422, { reason: 'Invalid', details }),
    hint: `The patch does not apply: ${why}.`,
  });
}

/**
 * 500 without a reason. It is what the API server answers where its patch code returns a plain error, even though the request
 * is at fault: an applied object that does not fit its schema, a list item without its merge key.
 */
export function plainError(message: string): KubeError {
  return new KubeError('Internal', message, {
    status: 500,
    apiStatus: failure(message, 500, {}),
    retryable: false,
    hint: 'Correct the patch: the message says what does not fit the schema of the kind.',
  });
}
