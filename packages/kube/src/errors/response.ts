import { type ApiStatus, isApiStatus } from './api-status.ts';
import type { KubeErrorCode } from './codes.ts';
import { redact } from './redact.ts';

/** What identifies a request in a message: never its headers or body. */
export interface FailedRequest {
  method: string;
  path: string;
}

const codeOfReason: Readonly<Record<string, KubeErrorCode>> = {
  Unauthorized: 'Unauthorized',
  Forbidden: 'Forbidden',
  NotFound: 'NotFound',
  AlreadyExists: 'AlreadyExists',
  Conflict: 'Conflict',
  Gone: 'Expired',
  Expired: 'Expired',
  Invalid: 'Invalid',
  ServerTimeout: 'Timeout',
  Timeout: 'Timeout',
  TooManyRequests: 'TooManyRequests',
  BadRequest: 'BadRequest',
  MethodNotAllowed: 'MethodNotAllowed',
  NotAcceptable: 'NotAcceptable',
  RequestEntityTooLarge: 'RequestTooLarge',
  UnsupportedMediaType: 'UnsupportedMediaType',
  InternalError: 'Internal',
  StoreReadError: 'Internal',
  ServiceUnavailable: 'Unavailable',
};

const codeOfHttpStatus: Readonly<Record<number, KubeErrorCode>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  408: 'Timeout',
  409: 'Conflict',
  410: 'Expired',
  413: 'RequestTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  502: 'Unavailable',
  503: 'Unavailable',
  504: 'Timeout',
};

/** The code for an answer: the server's own reason where it gave one, the HTTP status otherwise. */
export function codeOf(status: number, reason: string | undefined): KubeErrorCode {
  const byReason = reason === undefined ? undefined : codeOfReason[reason];
  if (byReason) return byReason;
  const byStatus = codeOfHttpStatus[status];
  if (byStatus) return byStatus;
  if (status >= 500) return 'Internal';
  // A redirect or a 200 page is an answer of something that is not an API server.
  return status >= 400 ? 'BadRequest' : 'Decode';
}

/** The Status in a body, with its message safe to show; undefined if the body is something else. */
export function parseApiStatus(body: string): ApiStatus | undefined {
  if (!body.trimStart().startsWith('{')) return undefined;
  let decoded: unknown;
  try {
    decoded = JSON.parse(body);
  } catch {
    return undefined; // Cut short or not JSON: the HTTP status says enough.
  }
  if (!isApiStatus(decoded)) return undefined;
  return typeof decoded.message === 'string' ? { ...decoded, message: redact(decoded.message) } : decoded;
}

/** One line about a body that is no Status, for example of a proxy; a whole page is only measured. */
export function describeBody(body: string, contentType: string | undefined): string {
  const text = body.trim();
  if (text === '') return 'no message';
  const plain = contentType === undefined || contentType.startsWith('text/plain');
  if (plain && text.length <= 200 && !text.includes('\n')) return redact(text);
  return `an answer of ${text.length} characters of ${contentType ?? 'unknown type'} that is not a Kubernetes status`;
}

/** How long the server asks to wait, from `Retry-After` (seconds or a date) or from the Status. */
export function retryAfter(
  headers: Readonly<Record<string, string>>,
  status: ApiStatus | undefined,
): number | undefined {
  const header = headers['retry-after']?.trim();
  if (header !== undefined && /^\d+$/.test(header)) return Number(header) * 1000;
  if (header !== undefined && headers.date !== undefined) {
    // Measured on the server's own clock, which may differ from ours.
    const ms = Date.parse(header) - Date.parse(headers.date);
    if (ms >= 0) return ms;
  }
  const seconds = status?.details?.retryAfterSeconds;
  return typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : undefined;
}
