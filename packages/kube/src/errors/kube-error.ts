import { type ApiStatus, isApiStatus, type StatusDetails } from './api-status.ts';
import { classifyCaught } from './caught.ts';
import { type KubeErrorCode, kubeErrorCodes } from './codes.ts';
import { hintFor } from './hints.ts';
import { redact } from './redact.ts';
import { codeOf, describeBody, type FailedRequest, parseApiStatus, retryAfter } from './response.ts';

/** The properties of an error besides its code and message; what is absent comes from the table of codes. */
export interface KubeErrorOptions {
  cause?: unknown;
  hint?: string;
  /** HTTP status, if there was an answer. */
  status?: number;
  retryable?: boolean;
  /** The server's own reason, for example `NamespaceTerminating`. */
  reason?: string;
  details?: StatusDetails;
  retryAfterMs?: number;
  apiStatus?: ApiStatus;
}

const brand = Symbol.for('@flotilla/kube.KubeError');

/**
 * The one error of the kit. Its message starts with the code, `hint` says what to do about it,
 * and `retryable` whether the same request may succeed later.
 */
export class KubeError extends Error {
  override readonly name = 'KubeError';
  readonly code: KubeErrorCode;
  readonly retryable: boolean;
  readonly hint: string;
  readonly status?: number;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly retryAfterMs?: number;
  readonly apiStatus?: ApiStatus;

  constructor(code: KubeErrorCode, message: string, options: KubeErrorOptions = {}) {
    super(
      message.startsWith(`${code}: `) ? message : `${code}: ${message}`,
      'cause' in options ? { cause: options.cause } : undefined,
    );
    this.code = code;
    this.retryable = options.retryable ?? kubeErrorCodes[code].retryable;
    this.hint = options.hint ?? kubeErrorCodes[code].hint;
    if (options.status !== undefined) this.status = options.status;
    if (options.reason !== undefined) this.reason = options.reason;
    if (options.details !== undefined) this.details = options.details;
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs;
    if (options.apiStatus !== undefined) this.apiStatus = options.apiStatus;
  }

  /** The error for an answer other than 2xx. Only method and path of the request are shown. */
  static fromResponse(
    request: FailedRequest,
    status: number,
    body: string,
    headers: Readonly<Record<string, string>> = {},
  ): KubeError {
    const apiStatus = parseApiStatus(body);
    const code = codeOf(status, apiStatus?.reason);
    const [path] = request.path.split('?', 1);
    const message = apiStatus?.message || describeBody(apiStatus ? '' : body, headers['content-type']);
    const waitMs = retryAfter(headers, apiStatus);
    return new KubeError(code, `${request.method} ${path} answered ${status}: ${message}`, {
      status,
      hint: hintFor(code, message),
      ...statusFields(apiStatus),
      ...(waitMs !== undefined && { retryAfterMs: waitMs }),
      // Asked to come back later, whatever the code: the server expects the same request again.
      ...(waitMs !== undefined && status >= 500 && { retryable: true }),
    });
  }

  /** The error for a Status that came in a 200: an ERROR event of a watch. `context` says of what. */
  static fromStatus(context: string, value: unknown): KubeError {
    if (!isApiStatus(value)) {
      return new KubeError('Decode', `${context}: an error that is not a Kubernetes status`);
    }
    const message = redact(value.message ?? 'no message');
    const code = codeOf(value.code ?? 500, value.reason);
    return new KubeError(code, `${context}: ${message}`, {
      hint: hintFor(code, message),
      ...(value.code !== undefined && { status: value.code }),
      ...statusFields({ ...value, message }),
    });
  }

  /** Anything caught as a KubeError, by the rules of `classifyCaught`; a KubeError stays as it is. */
  static from(caught: unknown, context?: string): KubeError {
    if (caught instanceof KubeError) return caught;
    const { code, ...options } = classifyCaught(caught);
    const message = redact(caught instanceof Error ? caught.message || caught.name : String(caught));
    return new KubeError(code, context === undefined ? message : `${context}: ${message}`, {
      ...options,
      cause: caught,
    });
  }

  /** True for a KubeError with one of the codes: `KubeError.is(error, 'NotFound', 'Expired')`. */
  static is(error: unknown, ...codes: readonly KubeErrorCode[]): error is KubeError {
    return error instanceof KubeError && codes.includes(error.code);
  }

  /** What `instanceof` checks. */
  get [brand](): true {
    return true;
  }

  /** By brand and not by class, so that two copies of this package in one process know each other's errors. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && brand in value;
  }
}

function statusFields(apiStatus: ApiStatus | undefined): KubeErrorOptions {
  if (!apiStatus) return {};
  return {
    apiStatus,
    ...(apiStatus.reason !== undefined && { reason: apiStatus.reason }),
    ...(apiStatus.details !== undefined && { details: apiStatus.details }),
  };
}
