import { KubeError } from '@flotilla/kube';
import type { ApiStatus, KubeErrorCode, StatusCause, StatusDetails } from '@flotilla/kube/errors';

/** What a request is about, as messages and details name it. */
export interface Subject {
  readonly group: string;
  readonly plural: string;
}

/**
 * Errors that carry the exact Status a Kubernetes API server answers with. Thrown anywhere below the server, which sends `apiStatus`.
 * `details` are left out where the real server leaves them out.
 */
function apiError(
  code: KubeErrorCode,
  status: number,
  reason: string,
  message: string,
  details?: StatusDetails,
): KubeError {
  const apiStatus: ApiStatus = {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    message,
    reason,
    ...(details && { details }),
    code: status,
  };
  return new KubeError(code, message, { status, reason, apiStatus, ...(details && { details }) });
}

const about = ({ group, plural }: Subject, name: string): StatusDetails => ({
  ...(name !== '' && { name }),
  ...(group !== '' && { group }),
  kind: plural,
});

/** `configmaps "a"`, or `deployments.apps "a"`: how messages call an object. */
const qualified = ({ group, plural }: Subject): string => (group === '' ? plural : `${plural}.${group}`);

export const notFound = (subject: Subject, name: string): KubeError =>
  apiError('NotFound', 404, 'NotFound', `${qualified(subject)} "${name}" not found`, about(subject, name));

/** For a path that nothing serves. */
export const pathNotFound = (): KubeError =>
  apiError('NotFound', 404, 'NotFound', 'the server could not find the requested resource', {});

export const alreadyExists = (subject: Subject, name: string): KubeError =>
  apiError(
    'AlreadyExists',
    409,
    'AlreadyExists',
    `${qualified(subject)} "${name}" already exists`,
    about(subject, name),
  );

export const conflict = (subject: Subject, name: string, why: string): KubeError =>
  apiError(
    'Conflict',
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(subject)} "${name}": ${why}`,
    about(subject, name),
  );

export const modified = 'the object has been modified; please apply your changes to the latest version and try again';

export const badRequest = (message: string): KubeError => apiError('BadRequest', 400, 'BadRequest', message);

export const unauthorized = (): KubeError => apiError('Unauthorized', 401, 'Unauthorized', 'Unauthorized');

export const forbidden = (
  subject: Subject,
  name: string,
  why: string,
  causes: readonly StatusCause[] = [],
): KubeError =>
  apiError(
    'Forbidden',
    403,
    'Forbidden',
    `${qualified(subject)}${name === '' ? '' : ` "${name}"`} is forbidden: ${why}`,
    {
      ...about(subject, name),
      ...(causes.length > 0 && { causes: [...causes] }),
    },
  );

/** For a path that is not a resource. */
export const forbiddenPath = (why: string): KubeError =>
  apiError('Forbidden', 403, 'Forbidden', `forbidden: ${why}`, {});

export const methodNotAllowed = (subject: Subject, verb: string): KubeError =>
  apiError(
    'MethodNotAllowed',
    405,
    'MethodNotAllowed',
    `${verb} is not supported on resources of kind "${qualified(subject)}"`,
    {
      ...(subject.group !== '' && { group: subject.group }),
      kind: subject.plural,
    },
  );

export const pathMethodNotAllowed = (): KubeError =>
  apiError(
    'MethodNotAllowed',
    405,
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
    {},
  );

export const notAcceptable = (offered: readonly string[]): KubeError =>
  apiError('NotAcceptable', 406, 'NotAcceptable', `only the following media types are accepted: ${offered.join(', ')}`);

export const unsupportedMediaType = (accepted: readonly string[]): KubeError =>
  apiError(
    'UnsupportedMediaType',
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );

/** What the real server's router says before a handler is asked. */
export const unsupportedByRouter = (): KubeError =>
  apiError('UnsupportedMediaType', 415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});

export const notAcceptableByRouter = (offered: readonly string[]): KubeError =>
  apiError(
    'NotAcceptable',
    406,
    'NotAcceptable',
    `406: Not Acceptable\n\nAvailable representations: ${offered.join(', ')}`,
    {},
  );

export const tooLarge = (message: string): KubeError =>
  apiError('RequestTooLarge', 413, 'RequestEntityTooLarge', message);

/** 408: the sender of a body is too slow. */
export const bodyTooSlow = (bytesPerSecond: number, seconds: number): KubeError =>
  apiError(
    'Timeout',
    408,
    'Timeout',
    `the body of the request arrives too slowly: send at least ${bytesPerSecond} bytes a second, and all within ${seconds} s`,
  );

/** 410 for a resource version or continue token that history no longer reaches. */
export const expired = (message: string): KubeError => apiError('Expired', 410, 'Expired', message);

export const timeout = (message: string, retryAfterSeconds: number): KubeError =>
  apiError('Timeout', 504, 'Timeout', message, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds,
  });

/** 429: not now. */
export const tooManyRequests = (message: string, causes: readonly StatusCause[], retryAfterSeconds = 0): KubeError =>
  apiError('TooManyRequests', 429, 'TooManyRequests', message, {
    causes: [...causes],
    ...(retryAfterSeconds > 0 && { retryAfterSeconds }),
  });

/** 429: a limit of this server is reached. */
export const throttled = (): KubeError =>
  apiError('TooManyRequests', 429, 'TooManyRequests', 'Too many requests, please try again later.', {
    retryAfterSeconds: 1,
  });

/** 503: this server cannot do it now. */
export const unavailable = (message: string): KubeError =>
  apiError('Unavailable', 503, 'ServiceUnavailable', message, { retryAfterSeconds: 1 });

/** A Status that an admission webhook returned. */
export function foreignStatus(status: ApiStatus): KubeError {
  const code = status.code ?? 500;
  return new KubeError(codeOfStatus(code), status.message ?? '', {
    status: code,
    apiStatus: status,
    ...(status.reason !== undefined && { reason: status.reason }),
    ...(status.details !== undefined && { details: status.details }),
  });
}

function codeOfStatus(code: number): KubeErrorCode {
  if (code === 403) return 'Forbidden';
  if (code === 409) return 'Conflict';
  if (code === 422) return 'Invalid';
  return code < 500 ? 'BadRequest' : 'Internal';
}

export const internal = (message: string): KubeError =>
  apiError('Internal', 500, 'InternalError', `Internal error occurred: ${message}`, {
    causes: [{ message }],
  });

/** One wrong field. `reason` is one of Kubernetes' FieldValue… words. */
export interface FieldCause {
  readonly reason:
    | 'FieldValueInvalid'
    | 'FieldValueRequired'
    | 'FieldValueNotSupported'
    | 'FieldValueForbidden'
    | 'FieldValueDuplicate'
    | 'FieldValueTooLong'
    | 'FieldValueTooMany'
    | 'FieldValueTypeInvalid'
    | 'FieldValueNotFound'
    | 'FieldManagerConflict';
  readonly field: string;
  /** Without the field: `Invalid value: "x": must be …` */
  readonly message: string;
}

/** 422 with all wrong fields. */
export function invalid(kind: { group: string; kind: string }, name: string, causes: readonly FieldCause[]): KubeError {
  // A message that several causes share is shown once.
  const messages = [...new Set(causes.map(({ field, message }) => `${field}: ${message}`))];
  const list = messages.length === 1 ? messages[0] : `[${messages.join(', ')}]`;
  const subject = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`;
  const statusCauses: StatusCause[] = causes.map(({ reason, field, message }) => ({ reason, message, field }));
  return apiError('Invalid', 422, 'Invalid', `${subject} "${name}" is invalid: ${list}`, {
    ...(name !== '' && { name }),
    ...(kind.group !== '' && { group: kind.group }),
    ...(kind.kind !== '' && { kind: kind.kind }),
    causes: statusCauses,
  });
}

/** Server-side apply met fields of other managers. */
export const applyConflict = (causes: readonly StatusCause[], message: string): KubeError =>
  apiError('Conflict', 409, 'Conflict', message, { causes: [...causes] });

/** The Status to answer with for anything thrown; an error that is not a KubeError is a bug and becomes an internal error. */
export function statusOf(error: unknown): ApiStatus & { metadata: object } {
  const { kind, apiVersion, ...rest } = knownStatusOf(error);
  return { kind, apiVersion, metadata: {}, ...rest };
}

function knownStatusOf(error: unknown): ApiStatus {
  if (error instanceof KubeError && error.apiStatus) return error.apiStatus;
  const message = error instanceof Error ? error.message : String(error);
  return internal(message).apiStatus ?? { kind: 'Status', apiVersion: 'v1', status: 'Failure', message, code: 500 };
}
