import { KubeError } from '@flotilla/kube';
import type { KubeRequest, KubeResponse, KubeStream, Transport } from '@flotilla/kube/transport';
import { NEVER } from 'rxjs';
import { type ApiHandler, type ApiRequest, type ApiResponse, isWhole } from '../contracts/exchange.ts';
import type { UserInfo } from '../contracts/user-info.ts';

/** Calls the API without a socket: for the control plane's own controllers, and for tests that want to be quick. */
export function inProcessTransport(handler: ApiHandler, user: UserInfo): Transport {
  const closing = new AbortController();

  const send = async (request: KubeRequest): Promise<ApiResponse> => {
    const signal = request.signal ? AbortSignal.any([request.signal, closing.signal]) : closing.signal;
    if (signal.aborted) throw new KubeError('Canceled', `${request.method} ${request.path} was canceled`);
    const answer = await handler(toApiRequest(request, user, signal));
    if (answer.status < 300) return answer;
    throw KubeError.fromResponse(request, answer.status, await wholeBody(answer), plainHeaders(answer));
  };

  return {
    async request(request): Promise<KubeResponse> {
      const answer = await send(request);
      return { status: answer.status, headers: plainHeaders(answer), body: await wholeBody(answer) };
    },
    async stream(request): Promise<KubeStream> {
      const ended = new AbortController();
      const signal = request.signal ? AbortSignal.any([request.signal, ended.signal]) : ended.signal;
      const answer = await send({ ...request, signal });
      const { body } = answer;
      return {
        status: answer.status,
        headers: plainHeaders(answer),
        // There is no connection that could be lost without an error.
        monitored: true,
        chunks: isWhole(body) ? once(String(body)) : textOf(body),
        close: () => ended.abort(),
      };
    },
    accessChanged: NEVER,
    async close() {
      closing.abort();
    },
  };
}

/** Text chunks, decoded across chunk borders. */
async function* textOf(body: AsyncIterable<string | Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of body) yield typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
}

async function* once(body: string): AsyncGenerator<string> {
  yield body;
}

function toApiRequest(request: KubeRequest, user: UserInfo, signal: AbortSignal): ApiRequest {
  const at = request.path.indexOf('?');
  return {
    method: request.method,
    path: at < 0 ? request.path : request.path.slice(0, at),
    query: new URLSearchParams(at < 0 ? '' : request.path.slice(at + 1)),
    headers: request.headers ?? {},
    readBody: async () => Buffer.from(request.body ?? ''),
    user,
    signal,
  };
}

async function wholeBody({ body }: ApiResponse): Promise<string> {
  if (isWhole(body)) return String(body);
  let text = '';
  for await (const chunk of textOf(body)) text += chunk;
  return text;
}

const plainHeaders = ({ headers }: ApiResponse): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]));
