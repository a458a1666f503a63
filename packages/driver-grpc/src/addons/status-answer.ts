import type { ServerResponse } from 'node:http';
import { KubeError } from '@flotilla/kube';
import type { KubeErrorCode } from '@flotilla/kube/errors';

const statusOf: Readonly<Partial<Record<KubeErrorCode, readonly [number, string]>>> = {
  Forbidden: [403, 'Forbidden'],
  BadRequest: [400, 'BadRequest'],
  MethodNotAllowed: [405, 'MethodNotAllowed'],
  RequestTooLarge: [413, 'RequestEntityTooLarge'],
  TooManyRequests: [429, 'TooManyRequests'],
  Timeout: [504, 'Timeout'],
};

/** Answers with what failed on the way to the hub, in the words of an API server. */
export function answerStatus(response: ServerResponse, caught: unknown): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const error = KubeError.from(caught);
  // Whatever else it is, such as a 401 of the agent itself: the add-on can only try again.
  const [code, reason] = ((error.status !== undefined || error.code === 'Timeout') && statusOf[error.code]) || [
    503,
    'ServiceUnavailable',
  ];
  const message = error.apiStatus?.message ?? error.message;
  const body = JSON.stringify({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    code,
  });
  response.writeHead(code, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    ...((code === 429 || code === 503) && { 'retry-after': '1' }),
  });
  response.end(body);
}
