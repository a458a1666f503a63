import type { Readable } from 'node:stream';
import { KubeError } from '@flotilla/kube';
import type { Forwarder } from '@flotilla/kube/transport';
import { memberLimits } from '../limits.ts';
import { impersonationOf } from './impersonation.policy.ts';
import type { HeaderList, Member } from './member.ts';
import { answerHeaders, headerRecord, requestHeaders } from './passed-headers.ts';

const { maxBodyBytes, maxBufferedBytes, headDeadlineMs } = memberLimits;

/** An API server that this process reaches, and on which it may impersonate. */
export function forwardingMember(forwarder: Forwarder): Member {
  const buffered: Buffered = { bytes: 0 };
  return {
    async request(request) {
      const impersonate = impersonationOf(request.user);
      const { userAgent, headers } = headersOf(request.headers);
      const answer = await withBody(request.body, buffered, (body) =>
        forwarder.forward({
          method: request.method,
          path: request.path,
          headers,
          ...(body && { body }),
          impersonate,
          ...(userAgent !== undefined && { userAgent }),
          signal: request.signal,
          deadlineMs: headDeadlineMs,
        }),
      ).catch(explain);
      return { status: answer.status, headers: answerHeaders(answer.headers), body: answer.body };
    },
    async upgrade(request) {
      const answer = await forwarder
        .upgrade({
          method: request.method,
          path: request.path,
          protocol: request.protocol,
          headers: headerRecord(requestHeaders(request.headers)),
          impersonate: impersonationOf(request.user),
          signal: request.signal,
          deadlineMs: headDeadlineMs,
        })
        .catch(explain);
      return { ...answer, headers: answerHeaders(answer.headers) };
    },
  };
}

function headersOf(list: HeaderList): { userAgent?: string; headers: Record<string, string> } {
  const record = headerRecord(requestHeaders(list));
  const { 'user-agent': userAgent, 'content-length': _, ...rest } = record;
  const headers = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, [value].flat().join(', ')]));
  return { headers, ...(userAgent !== undefined && { userAgent: String(userAgent) }) };
}

/** What the bodies of requests to one cluster take at the moment. */
interface Buffered {
  bytes: number;
}

/** Reads a body for what is done with it, and counts it until that is done. */
async function withBody<T>(
  body: Readable | undefined,
  buffered: Buffered,
  send: (whole: Uint8Array | undefined) => Promise<T>,
): Promise<T> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of (body ?? []) as AsyncIterable<Buffer>) {
      size += part.length;
      buffered.bytes += part.length;
      if (size > maxBodyBytes) {
        throw new KubeError('RequestTooLarge', `the request is larger than ${maxBodyBytes} bytes`, { status: 413 });
      }
      if (buffered.bytes > maxBufferedBytes) {
        const message = `requests of more than ${maxBufferedBytes} bytes are on their way to the cluster. Try again later.`;
        throw new KubeError('TooManyRequests', message, { status: 429 });
      }
      parts.push(part);
    }
    return await send(size > 0 ? Buffer.concat(parts) : undefined);
  } finally {
    buffered.bytes -= size;
  }
}

/** That the API server does not accept this process says nothing about the user. */
function explain(error: unknown): never {
  if (!KubeError.is(error, 'Unauthorized')) throw error;
  throw new KubeError('Unavailable', 'the API server of the cluster does not accept the credentials of its agent', {
    cause: error,
  });
}
