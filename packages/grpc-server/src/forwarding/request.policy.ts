import type { ForwardHead, ForwardHeaders } from '@flotilla/cloudevents';
import { KubeError } from '@flotilla/kube';
import type { ForwardedRequest } from '@flotilla/kube/transport';
import { maxPathLength, maxUserAgentLength } from '../limits.ts';

type Method = ForwardedRequest['method'];
const methods: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] satisfies Method[];
const isMethod = (method: string): method is Method => methods.includes(method);

/** What says something about the content. Who asks, and how the connection is used, is not for the caller to say. */
const requestHeaders = new Set([
  'accept',
  'accept-encoding',
  'content-encoding',
  'content-type',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'kubectl-command',
  'kubectl-session',
]);

const responseHeaders = new Set([
  'audit-id',
  'cache-control',
  'content-encoding',
  'content-length',
  'content-type',
  'etag',
  'last-modified',
  'retry-after',
  'vary',
  'warning',
  'x-content-type-options',
  'x-kubernetes-pf-flowschema-uid',
  'x-kubernetes-pf-prioritylevel-uid',
]);

/** A path as an API server has it: no other server, no white space, nothing that a program in between could read in two ways. */
const plainPath = /^\/(?!\/)[\x21-\x7e]*$/;
const dotSegment = /(^|\/)(\.|%2e){1,2}(\/|$)/i;

/** A request without the identity that it acts for. */
export type CheckedRequest = Required<Pick<ForwardedRequest, 'method' | 'path' | 'headers' | 'userAgent'>>;

/** The request to send, with what the caller cannot decide taken out. Throws for what is not forwarded. */
export function checkedRequest({ clusterName, addOnName, method, path, headers }: ForwardHead): CheckedRequest {
  if (!isMethod(method)) throw refused('MethodNotAllowed', 405, `requests by ${quoted(method)} are not forwarded`);
  const [plain = ''] = path.split('?');
  if (path.length > maxPathLength || !plainPath.test(path) || path.includes('#') || dotSegment.test(plain)) {
    throw refused('BadRequest', 400, `${quoted(path)} is not a path of the API`);
  }
  for (const [name, value] of headers) refuseHeader(name.toLowerCase(), value);
  const forwarded = headers.map(([name, value]) => [name.toLowerCase(), value] as const);
  const agent = forwarded.find(([name]) => name === 'user-agent')?.[1].slice(0, maxUserAgentLength) || 'unknown';
  return {
    method,
    path,
    headers: joined(forwarded.filter(([name]) => requestHeaders.has(name))),
    userAgent: `${agent} (by gRPC for add-on ${addOnName} of cluster ${clusterName})`,
  };
}

/** The headers of an answer that are about its content. */
export const answerHeaders = (headers: ForwardHeaders): ForwardHeaders =>
  headers.filter(([name]) => responseHeaders.has(name));

function refuseHeader(name: string, value: string): void {
  if (name === 'upgrade') {
    const message = 'a connection cannot be upgraded over gRPC: exec, attach and port-forward need the API server';
    throw refused('BadRequest', 400, message);
  }
  // Left out, the request would run with other rights than the ones that it asks for.
  if (name.startsWith('impersonate-')) {
    throw refused('Forbidden', 403, `an add-on cannot impersonate over gRPC: the header ${quoted(name)} is refused`);
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for.
  if (/[\x00-\x08\x0a-\x1f\x7f]/.test(value)) {
    throw refused('BadRequest', 400, `the header ${quoted(name)} has control characters`);
  }
}

function joined(headers: ForwardHeaders): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of headers) result[name] = result[name] === undefined ? value : `${result[name]}, ${value}`;
  return result;
}

const quoted = (text: string): string => JSON.stringify(text.slice(0, 100));

const refused = (code: 'MethodNotAllowed' | 'BadRequest' | 'Forbidden', status: number, message: string): KubeError =>
  new KubeError(code, message, { status });
