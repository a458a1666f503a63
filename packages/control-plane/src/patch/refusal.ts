import { type ApiStatus, KubeError, type KubeErrorCode, type StatusCause } from '@flotilla/kube';

/**
 * The refusals of this folder. Each carries the metav1.Status that the API server answers with, word for word,
 * because clients print its message and read its causes.
 */
function refusal(
  code: KubeErrorCode,
  status: number,
  message: string,
  rest: Partial<ApiStatus> = {},
  hint?: string,
): KubeError {
  const apiStatus: ApiStatus = { kind: 'Status', apiVersion: 'v1', status: 'Failure', message, ...rest, code: status };
  return new KubeError(code, message, {
    status,
    apiStatus,
    retryable: false,
    ...(hint !== undefined && { hint }),
    ...(apiStatus.reason !== undefined && { reason: apiStatus.reason }),
    ...(apiStatus.details !== undefined && { details: apiStatus.details }),
  });
}

/** 400: the patch cannot be read. */
export const badRequest = (message: string): KubeError => refusal('BadRequest', 400, message, { reason: 'BadRequest' });

/** 413: the patch has too many operations. */
export const tooLarge = (message: string): KubeError =>
  refusal('RequestTooLarge', 413, `Request entity too large: ${message}`, { reason: 'RequestEntityTooLarge' });

/** 422: the patch can be read but not be applied to this object. The API server does not say why; our hint does. */
export const unprocessable = (why: string): KubeError =>
  refusal(
    'Invalid',
    422,
    'the server rejected our request due to an error in our request',
    { reason: 'Invalid', details: {} },
    `The patch does not apply: ${why}.`,
  );

/** 500 without a reason: what the API server answers where its patch code returns a plain error. */
export const internal = (message: string): KubeError => refusal('Internal', 500, message);

/** 409: other field managers own what was applied. */
export const applyConflict = (causes: StatusCause[], message: string): KubeError =>
  refusal('Conflict', 409, message, { reason: 'Conflict', details: { causes } });
