import { KubeError } from '@flotilla/kube';
import type { ApiStatus, KubeErrorCode } from '@flotilla/kube/errors';
import { isRecord } from '@flotilla/schema';
import { type ServiceError, status } from '@grpc/grpc-js';
import { MalformedEvent } from '../event/malformed.ts';

/** What a gRPC call ends with. */
export interface CallStatus {
  readonly code: status;
  readonly details: string;
}

/** Headers have little room: a longer message could make the whole answer unreadable. */
const maxDetails = 4096;

const codesOfStatus: Readonly<Partial<Record<KubeErrorCode, status>>> = {
  Unauthorized: status.UNAUTHENTICATED,
  Forbidden: status.PERMISSION_DENIED,
  BadRequest: status.INVALID_ARGUMENT,
  Unavailable: status.UNAVAILABLE,
  Timeout: status.DEADLINE_EXCEEDED,
  TooManyRequests: status.RESOURCE_EXHAUSTED,
  RequestTooLarge: status.RESOURCE_EXHAUSTED,
};

/**
 * The status of a refused call. The details carry a Kubernetes status in JSON whatever the code is: Open Cluster Management's agents read
 * it in any, and decide by its reason.
 */
export function toCallStatus(caught: unknown): CallStatus {
  const error =
    caught instanceof MalformedEvent
      ? new KubeError('BadRequest', caught.message, { status: 400 })
      : KubeError.from(caught);
  const code = codesOfStatus[error.code] ?? status.FAILED_PRECONDITION;
  const full = describe(apiStatusOf(error));
  return { code, details: full.length <= maxDetails ? full : describe(shortened(apiStatusOf(error))) };
}

/** The same for a subscription, whose clients show the details as they are. */
export function toStreamStatus(caught: unknown): CallStatus {
  const { code } = toCallStatus(caught);
  const message = caught instanceof Error ? caught.message : String(caught);
  return { code, details: message.slice(0, maxDetails) };
}

const describe = (apiStatus: ApiStatus): string => JSON.stringify({ ErrStatus: { metadata: {}, ...apiStatus } });

const httpStatusOf: Readonly<Partial<Record<KubeErrorCode, readonly [number, string]>>> = {
  Unauthorized: [401, 'Unauthorized'],
  Forbidden: [403, 'Forbidden'],
  NotFound: [404, 'NotFound'],
  MethodNotAllowed: [405, 'MethodNotAllowed'],
  AlreadyExists: [409, 'AlreadyExists'],
  Conflict: [409, 'Conflict'],
  Expired: [410, 'Expired'],
  RequestTooLarge: [413, 'RequestEntityTooLarge'],
  Invalid: [422, 'Invalid'],
  TooManyRequests: [429, 'TooManyRequests'],
  BadRequest: [400, 'BadRequest'],
  Unavailable: [503, 'ServiceUnavailable'],
  Timeout: [504, 'Timeout'],
};

function apiStatusOf(error: KubeError): ApiStatus {
  if (error.apiStatus) return { ...error.apiStatus, status: 'Failure' };
  const [code, reason] = httpStatusOf[error.code] ?? [500, 'InternalError'];
  const { details } = error;
  return { status: 'Failure', message: error.message, reason, ...(details && { details }), code };
}

function shortened(apiStatus: ApiStatus): ApiStatus {
  const { causes: _, ...details } = apiStatus.details ?? {};
  return { ...apiStatus, message: apiStatus.message?.slice(0, maxDetails / 4) ?? '', details };
}

const codeOfStatus: Readonly<Partial<Record<status, KubeErrorCode>>> = {
  [status.UNAUTHENTICATED]: 'Unauthorized',
  [status.PERMISSION_DENIED]: 'Forbidden',
  [status.INVALID_ARGUMENT]: 'BadRequest',
  [status.UNAVAILABLE]: 'Unavailable',
  [status.DEADLINE_EXCEEDED]: 'Timeout',
  [status.CANCELLED]: 'Canceled',
  [status.RESOURCE_EXHAUSTED]: 'TooManyRequests',
  [status.UNIMPLEMENTED]: 'NotFound',
};

/** The error of a failed call. `context` says which. */
export function fromCallError(context: string, { code, details }: Pick<ServiceError, 'code' | 'details'>): KubeError {
  const apiStatus = parseStatus(details);
  if (apiStatus) return KubeError.fromStatus(context, { ...apiStatus, kind: 'Status' });
  const text = details === '{}' ? 'the server gave no reason' : details;
  return new KubeError(codeOfStatus[code] ?? 'Internal', `${context}: ${status[code]}: ${text}`);
}

function parseStatus(details: string): ApiStatus | undefined {
  if (!details.startsWith('{"ErrStatus"')) return undefined;
  try {
    const value: unknown = JSON.parse(details);
    return isRecord(value) && isRecord(value.ErrStatus) ? value.ErrStatus : undefined;
  } catch {
    return undefined;
  }
}
