import { once } from 'node:events';
import { type Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import type { ClusterAccess } from '@flotilla/kube';

/** Status and body of one answer. */
export interface ProbeAnswer {
  status: number;
  body: string;
}

/**
 * One GET on a fresh connection, without retry: the kit's client would hide just what a probe wants to see,
 * namely whether the server answers at this moment.
 */
export const probeServer = (access: ClusterAccess, path: string, signal: AbortSignal): Promise<ProbeAnswer> =>
  answerOf(
    httpsRequest(new URL(path, access.server), {
      agent: false,
      ca: access.ca,
      cert: access.clientCertificate?.certificate,
      key: access.clientCertificate?.key,
      signal,
    }),
  );

/** One request over a Unix socket, on a fresh connection unless an agent has one; with a body it is a POST of JSON. */
export const probeSocket = (
  socketPath: string,
  path: string,
  options: { signal?: AbortSignal; body?: object; agent?: Agent } = {},
): Promise<ProbeAnswer> =>
  answerOf(
    httpRequest({
      socketPath,
      path,
      method: options.body ? 'POST' : 'GET',
      agent: options.agent ?? false,
      headers: { host: 'localhost' },
      signal: options.signal,
    }),
    options.body,
  );

async function answerOf(request: ClientRequest, body?: object): Promise<ProbeAnswer> {
  const answered = once(request, 'response');
  request.end(body && JSON.stringify(body));
  const [response]: IncomingMessage[] = await answered;
  if (!response) throw new Error('no response');
  return { status: response.statusCode ?? 0, body: await text(response) };
}
